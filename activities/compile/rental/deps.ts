import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { openProvider } from '../../../core/compile/stages/rentals/providers/open-provider.ts'
import { ProviderFault, type PodProvider } from '../../../core/compile/stages/rentals/pod-provider.ts'
import type { Lane } from '../../../core/compile/stages/rentals/lanes.ts'
import type { RentalSettings } from '../../../core/compile/stages/rentals/settings.ts'
import { KERNEL_ERRORS, type DomainError } from '../../../core/kernel/errors.ts'
import type { RentalFacts } from '../../../db/compile/rentals/find-rental.ts'
import { openRentalKey } from '../../../db/compile/rentals/rental-key.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import type { CompileDeps } from '../compile/deps.ts'
import type { JobRef } from '../compile/results.ts'

/** Dependencies of the activities of rentals. */
export interface RentalDeps extends Pick<CompileDeps, 'db' | 'temporal' | 'limits' | 'baseFolders' | 'log' | 'now'> {
  readonly rentals: RentalSettings
  /** The public address of the API: machines reach its door there. */
  readonly publicUrl: string | undefined
}

/** Returns the operation under which an activity changes a rental. */
export function operationOf(deps: Pick<RentalDeps, 'db' | 'now'>, { jobId, tenantId }: JobRef): Operation {
  return systemOperation(deps.db, { tenantId, name: 'rental', requestId: jobId, now: deps.now })
}

/**
 * Calls `work` with the provider of a rental, by the tenant's key or the operator's. Throws `rental_not_configured` when
 * the key is gone, `rental_unclear` when the provider does not answer, and `rental_failed` when it refuses.
 */
export async function withProvider<T>(
  deps: RentalDeps,
  op: Operation,
  { jobId, lane, providerKeyId }: Pick<RentalFacts, 'jobId' | 'providerKeyId'> & { readonly lane: Lane },
  work: (provider: PodProvider) => Promise<T>,
): Promise<T> {
  const settings = deps.rentals.lanes[lane]
  const key = providerKeyId === null ? settings.apiKey : await openRentalKey(op, jobId, providerKeyId)
  if (key === undefined || key === null) {
    throw COMPILE_ERRORS.rental_not_configured(`the lane ${lane} has no key any more`)
  }
  const provider = openProvider(lane, settings, key)
  try {
    return await work(provider)
  } catch (error) {
    throw error instanceof ProviderFault ? explain(error) : error
  } finally {
    await provider.close()
  }
}

/** The same for a fit that may be one of a pool, whose machines have no provider: `work` then gets null. */
export async function withMachines<T>(
  deps: RentalDeps,
  op: Operation,
  { jobId, lane, providerKeyId }: Pick<RentalFacts, 'jobId' | 'lane' | 'providerKeyId'>,
  work: (provider: PodProvider | null) => Promise<T>,
): Promise<T> {
  return lane === 'pool' ? await work(null) : await withProvider(deps, op, { jobId, lane, providerKeyId }, work)
}

/** Returns the lane of a rented machine. Throws `internal` for a fit of a pool. */
export function rentedLane<F extends Pick<RentalFacts, 'jobId' | 'lane' | 'providerKeyId'>>(
  rental: F,
): F & { readonly lane: Lane } {
  const { lane } = rental
  if (lane === 'pool') throw KERNEL_ERRORS.internal('a fit of a pool rents no machine')
  return { ...rental, lane }
}

function explain(fault: ProviderFault): DomainError {
  if (fault.kind === 'unclear') return COMPILE_ERRORS.rental_unclear(fault.message, { cause: fault })
  return COMPILE_ERRORS.rental_failed(fault.message, { cause: fault })
}
