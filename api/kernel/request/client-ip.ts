import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'

/**
 * Returns the address that per-address limits count: the socket's address, or with `trustedHops` proxies in front the entry that the
 * outermost trusted one appended to `X-Forwarded-For` (n-th from the right). Entries further left are the caller's own
 * words. A header that is too short or no address falls back to the socket. Of an IPv6 address it is the /64, which is
 * the least that one customer is given (RFC 6177); an IPv4 address written as IPv6 is the IPv4 address.
 */
export function clientIp(request: IncomingMessage, trustedHops: number): string {
  const socketIp = request.socket.remoteAddress ?? 'unknown'
  if (trustedHops === 0) return countedAddress(socketIp)
  return forwardedAddress(request, trustedHops) ?? countedAddress(socketIp)
}

/** The client that the outermost trusted proxy names, as it is counted; undefined when it names none. */
export function forwardedAddress(request: IncomingMessage, trustedHops: number): string | undefined {
  const header = request.headers['x-forwarded-for']
  const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').map((hop) => hop.trim())
  const claimed = hops.at(-trustedHops)
  return claimed !== undefined && isIP(claimed) !== 0 ? countedAddress(claimed) : undefined
}

/** The part of an address that one caller cannot change at will. */
export function countedAddress(ip: string): string {
  if (!isIPv6(ip)) return ip
  const groups = groupsOf(ip)
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}

/** The eight groups of an IPv6 address (RFC 4291, 2.2), its zone left out. */
function groupsOf(ip: string): readonly number[] {
  const [address = ''] = ip.split('%')
  const [before = '', after = ''] = address.split('::')
  const head = parseGroups(before)
  const tail = parseGroups(after)
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
}

function parseGroups(text: string): readonly number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [(a << 8) | b, (c << 8) | d]
  })
}
