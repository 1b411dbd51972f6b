import { EgressError } from './egress-error.ts'
import { readUrl, unlessAborted } from './guarded-request.ts'
import { resolveAddress, resolveWithSystem } from './resolve-address.ts'

/** Longest time that looking a name up may take here, milliseconds. */
const LOOKUP_MS = 5000

/**
 * Checks that a caller's address could be called now, without calling it: its scheme, and that its name leads to the public
 * internet. It is checked again at each call. Throws `EgressError`.
 */
export async function checkAddress(
  address: string,
  { allowsPrivate }: { readonly allowsPrivate: boolean },
): Promise<void> {
  const { hostname } = readUrl(address, allowsPrivate)
  const timeout = AbortSignal.timeout(LOOKUP_MS)
  try {
    await unlessAborted(resolveAddress(hostname, { resolve: resolveWithSystem, allowsPrivate }), timeout)
  } catch (error) {
    if (error instanceof EgressError) throw error
    throw new EgressError('unresolved', `${hostname} could not be looked up`, { cause: error })
  }
}
