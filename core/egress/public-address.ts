import ipaddr from 'ipaddr.js'

/**
 * Whether an IP address belongs to one host on the public internet. Everything else is refused: loopback, private and
 * link-local ranges, those of carriers, documentation, multicast, and IPv6 forms that carry an IPv4 address in them
 * (mapped, 6to4, Teredo, NAT64), since they lead where that address leads.
 */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'unicast'
}
