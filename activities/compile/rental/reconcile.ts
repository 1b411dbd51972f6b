import { LANES } from '../../../core/compile/stages/rentals/lanes.ts'
import { openProvider } from '../../../core/compile/stages/rentals/providers/open-provider.ts'
import type { PodProvider } from '../../../core/compile/stages/rentals/pod-provider.ts'
import {
  leasesByName,
  listKeyedRentals,
  listOpenRentals,
  type OpenRental,
} from '../../../db/compile/across/rentals/open-rentals.ts'
import { chargeLate } from '../../../db/compile/rentals/leases.ts'
import { forgetRentalKey } from '../../../db/compile/rentals/rental-key.ts'
import { findRun } from '../../../temporal/runs.ts'
import { ONE_ATTEMPT, type Chore, type ChoreActivity } from '../../kernel/chores/chore.ts'
import { operationOf, withProvider, type RentalDeps } from './deps.ts'
import { endRental } from './tear-down.ts'

/** A younger order may still be on its way, milliseconds. */
const YOUNG_MS = 10_000
/** Machines that a provider delays appear within this time after their rental ended, milliseconds. */
const LATE_MS = 10 * 60_000
const PAGE = 50
const STILL_S = 70

/**
 * Ends machines that no workflow owns: those of rentals whose run is over or whose job is, and those of the operator's
 * accounts, and for some minutes of tenants' own, that have the prefix of this service and no open lease.
 */
export const reconcileRentals: Chore<RentalDeps> = {
  name: 'rentals',
  stillS: STILL_S,
  attempts: ONE_ATTEMPT,
  summary: 'End rented machines that no workflow owns',
  run: async (deps, activity) => ({
    rentals: await endAbandoned(deps, activity),
    machines: (await endUnowned(deps, activity)) + (await endLate(deps, activity)),
  }),
}

async function endAbandoned(deps: RentalDeps, activity: ChoreActivity): Promise<number> {
  let count = 0
  let afterKey = ''
  for (;;) {
    const orderedBefore = new Date(deps.now().getTime() - YOUNG_MS)
    const page = await listOpenRentals(deps.db, { orderedBefore, afterKey, limit: PAGE })
    for (const rental of page) {
      activity.signal.throwIfAborted()
      activity.progress()
      if (await isOwned(deps, rental)) continue
      const { jobId, tenantId } = rental
      const end = { jobId, tenantId, errorCode: 'compile_failed', tokensPerSecond: null } as const
      await endRental(deps, end, activity).then(
        () => count++,
        (error: unknown) => {
          activity.signal.throwIfAborted()
          deps.log.warn({ err: error, job: jobId }, 'a rental could not be ended; the next tick tries again')
        },
      )
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return count
    afterKey = last.jobId
  }
}

async function isOwned({ temporal }: RentalDeps, { jobId }: OpenRental): Promise<boolean> {
  const state = await findRun(temporal, `${jobId}/rental`)
  return state === 'running' || state === 'unknown'
}

async function endUnowned(deps: RentalDeps, activity: ChoreActivity): Promise<number> {
  let count = 0
  for (const lane of LANES) {
    activity.signal.throwIfAborted()
    activity.progress()
    const settings = deps.rentals.lanes[lane]
    if (settings.apiKey === undefined) continue
    const provider = openProvider(lane, settings, settings.apiKey)
    try {
      count += await endUnownedOf(deps, provider, activity)
    } catch (error) {
      activity.signal.throwIfAborted()
      deps.log.warn({ err: error, lane }, 'the machines of a lane could not be compared; the next tick tries again')
    } finally {
      await provider.close()
    }
  }
  return count
}

/** Ends the machines that appear in tenants' own accounts after their rentals ended; then their keys are forgotten. */
async function endLate(deps: RentalDeps, activity: ChoreActivity): Promise<number> {
  let count = 0
  let afterKey = ''
  for (;;) {
    const page = await listKeyedRentals(deps.db, { afterKey, limit: PAGE })
    for (const { lane, endedAt, ...rental } of page) {
      activity.signal.throwIfAborted()
      activity.progress()
      const op = operationOf(deps, rental)
      try {
        if (lane !== 'pool') {
          count += await withProvider(
            deps,
            op,
            { ...rental, lane },
            async (provider) => await endUnownedOf(deps, provider, activity, rental.jobId),
          )
        }
      } catch (error) {
        activity.signal.throwIfAborted()
        deps.log.warn({ err: error, job: rental.jobId }, 'the account of an ended rental could not be compared')
      }
      if (endedAt !== null && deps.now().getTime() - endedAt.getTime() > LATE_MS)
        await forgetRentalKey(op, rental.jobId)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return count
    afterKey = last.jobId
  }
}

/**
 * Ends the machines of an account that have the prefix of this service and no open lease; in a tenant's own account those
 * of one job alone. A machine whose order had counted as one that came to nothing is charged first.
 */
async function endUnownedOf(
  deps: RentalDeps,
  provider: PodProvider,
  { signal }: ChoreActivity,
  jobId?: string,
): Promise<number> {
  const ours = (await provider.list(signal)).filter(({ name }) => name.startsWith(`${deps.rentals.prefix}-lse-`))
  const leases = await leasesByName(
    deps.db,
    ours.map(({ name }) => name),
  )
  let count = 0
  for (const { id, name } of ours) {
    const lease = leases.get(name)
    if (lease?.isEnded === false || (jobId !== undefined && lease?.jobId !== jobId)) continue
    if (lease !== undefined) await chargeLate(operationOf(deps, lease), lease.leaseId)
    await provider.end(id, signal)
    count++
  }
  return count
}
