import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/**
 * Returns true for an address of the operator's own network, judged by its text: a name without a dot or below
 * `.local` or `.internal`, `localhost`, or an IP address that is not on the public internet.
 */
export function isPrivateHost(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return !isPublicAddress(host)
  return !host.includes('.') || /\.(localhost|local|internal)$/.test(host)
}
