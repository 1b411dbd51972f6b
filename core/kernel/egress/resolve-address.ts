import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { EgressError } from './egress-error.ts'
import { isPublicAddress } from './public-address.ts'

/** One address of a host. */
export interface HostAddress {
  readonly address: string
  readonly family: 4 | 6
}

/** Resolves all addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly HostAddress[]>

/** Resolves like the operating system: hosts file, then DNS. */
export const resolveWithSystem: ResolveName = async (name) => {
  const found = await lookup(name, { all: true, verbatim: true })
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}

/**
 * Resolves a URL's host once. The caller must connect to these addresses, since the name may resolve differently later.
 * One refused address refuses the host. Throws `EgressError`.
 */
export async function resolveAddress(
  hostname: string,
  { resolve, allowsPrivate }: { readonly resolve: ResolveName; readonly allowsPrivate: boolean },
): Promise<readonly HostAddress[]> {
  const name = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(name)
  const addresses = family === 0 ? await ask(name, resolve) : [{ address: name, family: family === 6 ? 6 : 4 } as const]
  if (addresses.length === 0) throw new EgressError('unresolved', `${name} has no address`)
  if (!allowsPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
    throw new EgressError('refused_address', `${name} is not an address on the public internet`)
  }
  return addresses
}

async function ask(name: string, resolve: ResolveName): Promise<readonly HostAddress[]> {
  try {
    return await resolve(name)
  } catch (cause) {
    throw new EgressError('unresolved', `${name} has no address`, { cause })
  }
}
