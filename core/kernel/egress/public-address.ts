import ipaddr from 'ipaddr.js'

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an IP address belongs to one host on the public internet. Everything else is refused: loopback, private and
 * link-local ranges, those of carriers, documentation, multicast, and IPv6 forms that carry an IPv4 address in them
 * (mapped, 6to4, Teredo, NAT64), since they lead where that address leads.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  // Beyond 2000::/3 nothing is given out (RFC 4291, 2.4): `::7f00:1` is an old way to write 127.0.0.1.
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST)
}
