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

/** Results of the clean-up. */
export interface DeletionOutcome {
  readonly runsCancelled: number
  /** `left`: the processor did not answer; the billing workflow keeps retrying. */
  readonly subscriptions: 'ended' | 'left'
  /**
   * True when the tenant's data was removed. False before its grace period is over: housekeeping then requests it
   * again.
   */
  readonly isPurged: boolean
}

/**
 * Cleans up after a deleted tenant: ends its running work, notifies the payment processor (best effort), and removes
 * its data when the grace period is over. The deletion itself is complete and waits for nothing here.
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
    // Whatever the error, the billing workflow retries for longer.
  }
  await leaveToBilling(ref)
  return 'left'
}
