import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/**
 * The address that per-address limits count: the socket's, or with `trustedHops` proxies in front the entry that the
 * outermost trusted one appended to `X-Forwarded-For` (n-th from the right). Entries further left are the caller's own
 * words. A header that is too short or no address falls back to the socket. IPv4-mapped IPv6 is written as IPv4.
 */
export function clientIp(request: IncomingMessage, trustedHops: number): string {
  const socketIp = request.socket.remoteAddress ?? 'unknown'
  if (trustedHops === 0) return plain(socketIp)
  const header = request.headers['x-forwarded-for']
  const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').map((hop) => hop.trim())
  const claimed = hops.at(-trustedHops)
  return plain(claimed !== undefined && isIP(claimed) !== 0 ? claimed : socketIp)
}

function plain(ip: string): string {
  return ip.startsWith('::ffff:') ? ip.slice('::ffff:'.length) : ip
}
