import { proxyActivities, setHandler } from '@temporalio/workflow'
import type { BillingActivities } from '../../activities/billing/activities.ts'
import { changedSignal, type BillingInput } from '../billing/messages.ts'
import { BEST_EFFORT, FINISH } from '../policies.ts'

const rows = proxyActivities<BillingActivities>(FINISH)
const processor = proxyActivities<BillingActivities>(BEST_EFFORT)

/** What was cleared up. */
export interface DeletionOutcome {
  readonly runsCancelled: number
  /** `left`: the processor did not answer; the workflow of billing goes on trying. */
  readonly subscriptions: 'ended' | 'left'
}

/**
 * Clears up after a tenant was deleted: ends what it has running, and tells the payment processor, as well as that can be
 * done. The deletion itself is done already and waits for nothing here.
 */
export async function deletion(input: BillingInput): Promise<DeletionOutcome> {
  setHandler(changedSignal, () => undefined)
  const runsCancelled = await rows.cancelRuns(input)
  const subscriptions = await endSubscriptions(input)
  await rows.purgeWorkspace(input)
  return { runsCancelled, subscriptions }
}

async function endSubscriptions(input: BillingInput): Promise<DeletionOutcome['subscriptions']> {
  try {
    const { state } = await processor.pushBilling(input)
    return state === 'pushed' ? 'ended' : 'left'
  } catch {
    await rows.leaveToBilling(input)
    return 'left'
  }
}
