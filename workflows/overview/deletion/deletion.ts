import { proxyActivities, setHandler } from '@temporalio/workflow'
import type { BillingActivities } from '../../../activities/billing/billing/activities.ts'
import type { DeletionActivities } from '../../../activities/overview/deletion/activities.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Deletion } from '../../../core/overview/workflows.ts'
import { changedSignal, refOf, type BillingRef } from '../../billing/billing/messages.ts'
import { BEST_EFFORT, FINISH, PURGE } from '../../kernel/policies.ts'

const { cancelRuns } = proxyActivities<DeletionActivities>(FINISH)
const { purgeTenant } = proxyActivities<DeletionActivities>(PURGE)
const { leaveToBilling } = proxyActivities<BillingActivities>(FINISH)
const processor = proxyActivities<BillingActivities>(BEST_EFFORT)

/** What was cleared up. */
export interface DeletionOutcome {
  readonly runsCancelled: number
  /** `left`: the processor did not answer; the workflow of billing goes on trying. */
  readonly subscriptions: 'ended' | 'left'
  /** What the tenant held was removed. False before its days are over: housekeeping then asks for this once more. */
  readonly isPurged: boolean
}

/**
 * Clears up after a tenant that is no more: ends what it has running, tells the payment processor, as well as that can be
 * done, and removes what it held when its time has come. The deletion itself is done already and waits for nothing here.
 */
export async function deletion(input: InputOf<typeof Deletion>): Promise<DeletionOutcome> {
  const ref = refOf(input)
  setHandler(changedSignal, () => undefined)
  const runsCancelled = await cancelRuns(ref)
  const subscriptions = await endSubscriptions(ref)
  const isPurged = await purgeTenant(ref)
  return { runsCancelled, subscriptions, isPurged }
}

async function endSubscriptions(ref: BillingRef): Promise<DeletionOutcome['subscriptions']> {
  try {
    const { state } = await processor.pushBilling(ref)
    if (state === 'pushed') return 'ended'
  } catch {
    // Whatever it was, the other workflow has more patience.
  }
  await leaveToBilling(ref)
  return 'left'
}
