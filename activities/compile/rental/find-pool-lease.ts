import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { requireRental } from '../../../db/compile/rentals/find-rental.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import type { JobRef } from '../compile/results.ts'
import { operationOf, type RentalDeps } from './deps.ts'
import type { RentedMachine } from './rent-machine.ts'

/** The state of a fit that waits for a worker of a pool. */
export interface PoolWait {
  /** The lease in force; null while none is. */
  readonly machine: RentedMachine | null
  /** Leases until now. */
  readonly attempts: number
  /** Longest wait, milliseconds. */
  readonly waitMs: number
}

/**
 * Looks whether a worker of the tenant's pool has leased the fit of a job. Throws `no_pool_worker` when none came within
 * `pool_wait_s`, and `pool_attempts_used` when `pool_attempts` workers have lost it.
 */
export async function findPoolLease(deps: RentalDeps, ref: JobRef): Promise<PoolWait> {
  return await runActivity(deps.log, async () => {
    const { leases, createdAt } = await requireRental(operationOf(deps, ref), ref.jobId)
    const { pool_attempts: most, pool_wait_s: waitS } = deps.limits
    const open = leases.find(({ endedAt }) => endedAt === null)
    if (open !== undefined) {
      return { machine: { leaseId: open.id, number: open.number }, attempts: leases.length, waitMs: 0 }
    }
    if (leases.length >= most) {
      throw COMPILE_ERRORS.pool_attempts_used(`${most} workers of the pool have lost this fit, one after another`)
    }
    const since = Math.max(createdAt.getTime(), ...leases.map(({ endedAt }) => endedAt?.getTime() ?? 0))
    const waitMs = since + waitS * 1000 - deps.now().getTime()
    if (waitMs <= 0) {
      throw COMPILE_ERRORS.no_pool_worker(`no worker of the pool has taken this fit for ${waitS} seconds`)
    }
    return { machine: null, attempts: leases.length, waitMs }
  })
}
