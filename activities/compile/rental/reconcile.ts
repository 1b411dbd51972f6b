import { LANES, type Lane } from '../../../core/compile/stages/rentals/lanes.ts'
import { openProvider } from '../../../core/compile/stages/rentals/providers/open-provider.ts'
import { listOpenRentals, ownedNames, type OpenRental } from '../../../db/compile/across/rentals/open-rentals.ts'
import { findRun } from '../../../temporal/runs.ts'
import { ONE_ATTEMPT, type Chore, type ChoreActivity } from '../../kernel/chores/chore.ts'
import type { RentalDeps } from './deps.ts'
import { endRental } from './tear-down.ts'

/** A younger order may still be on its way, milliseconds. */
const YOUNG_MS = 10_000
const PAGE = 50
const STILL_S = 70

/**
 * Ends machines that no workflow owns: those of rentals whose run is over or whose job is, and those of the operator's
 * accounts that have the prefix of this service and no lease.
 */
export const reconcileRentals: Chore<RentalDeps> = {
  name: 'rentals',
  stillS: STILL_S,
  attempts: ONE_ATTEMPT,
  summary: 'End rented machines that no workflow owns',
  run: async (deps, activity) => ({
    rentals: await endAbandoned(deps, activity),
    machines: await endUnowned(deps, activity),
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
    try {
      count += await endUnownedOf(deps, lane, activity)
    } catch (error) {
      activity.signal.throwIfAborted()
      deps.log.warn({ err: error, lane }, 'the machines of a lane could not be compared; the next tick tries again')
    }
  }
  return count
}

async function endUnownedOf(deps: RentalDeps, lane: Lane, { signal }: ChoreActivity): Promise<number> {
  const settings = deps.rentals.lanes[lane]
  if (settings.apiKey === undefined) return 0
  const provider = openProvider(lane, settings, settings.apiKey)
  try {
    const ours = (await provider.list(signal)).filter(({ name }) => name.startsWith(`${deps.rentals.prefix}-lse-`))
    const owned = await ownedNames(
      deps.db,
      ours.map(({ name }) => name),
    )
    const unowned = ours.filter(({ name }) => !owned.has(name))
    for (const { id } of unowned) await provider.end(id, signal)
    return unowned.length
  } finally {
    await provider.close()
  }
}
