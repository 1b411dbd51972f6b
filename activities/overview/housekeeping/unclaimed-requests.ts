import { REQUESTED_FAMILIES } from '../../../core/workflows.ts'
import { countUnclaimed } from '../../../db/kernel/outbox/unclaimed.ts'
import type { Chore } from '../../kernel/chores/chore.ts'
import type { ReconcileDeps } from '../../kernel/reconcile/deps.ts'

/** A request that waits longer was not written by a newer version that is being rolled out. */
const WAIT_MS = 10 * 60_000

/** Warns the operator of requests for workflows that this version does not have: they wait until one that has them runs. */
export const unclaimedRequests: Chore<ReconcileDeps> = {
  name: 'unclaimedRequests',
  summary: 'Report requests for workflows that this version does not have',
  run: async ({ db, log, now }) => {
    const families = REQUESTED_FAMILIES.map(({ name }) => name)
    const unclaimed = await countUnclaimed(db, { families, dueBefore: new Date(now().getTime() - WAIT_MS) })
    if (unclaimed.length > 0) log.warn({ unclaimed }, 'requests wait for workflows that this version does not have')
    return { unclaimed: unclaimed.reduce((sum, { requests }) => sum + requests, 0) }
  },
}
