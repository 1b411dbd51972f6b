import ipaddr from 'ipaddr.js'

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Returns true when an IP address belongs to one host on the public internet. Everything else is refused: loopback,
 * private and link-local ranges, carrier-grade NAT, documentation, multicast, and IPv6 forms that embed an IPv4 address
 * (mapped, 6to4, Teredo, NAT64), since they lead to that address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  // Outside 2000::/3 no global unicast address is assigned (RFC 4291, 2.4): `::7f00:1` is an old form of 127.0.0.1.
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST)
}
