import { condition, proxyActivities, setCurrentDetails, setHandler } from '@temporalio/workflow'
import type { BillingActivities } from '../../../activities/billing/billing/activities.ts'
import { changedSignal, type BillingInput } from '../billing/messages.ts'
import { FINISH } from '../../kernel/policies.ts'

const rows = proxyActivities<BillingActivities>(FINISH)

/** How it ended: the plan is suspended, or everything was paid or has ended. */
export interface DunningOutcome {
  readonly state: 'suspended' | 'over'
}

/**
 * Reminds of a payment that failed, and suspends the plan in the end. The rows say when each step is due; when they
 * change, because a payment came or another one failed, it looks again.
 */
export async function dunning(input: BillingInput): Promise<DunningOutcome> {
  let isChanged = false
  setHandler(changedSignal, () => {
    isChanged = true
  })
  for (;;) {
    isChanged = false
    const { waitMs, state } = await rows.dunningStep(input)
    setCurrentDetails(state)
    if (waitMs !== null) await condition(() => isChanged, waitMs)
    else if (!isChanged) return { state: state === 'suspended' ? 'suspended' : 'over' }
  }
}
