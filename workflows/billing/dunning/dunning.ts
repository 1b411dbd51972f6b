import { condition, proxyActivities, setCurrentDetails, setHandler } from '@temporalio/workflow'
import type { BillingActivities } from '../../../activities/billing/billing/activities.ts'
import type { Dunning } from '../../../core/billing/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import { changedSignal, refOf } from '../billing/messages.ts'
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
export async function dunning(input: InputOf<typeof Dunning>): Promise<DunningOutcome> {
  const ref = refOf(input)
  let isChanged = false
  setHandler(changedSignal, () => {
    isChanged = true
  })
  for (;;) {
    isChanged = false
    const { waitMs, state } = await rows.dunningStep(ref)
    setCurrentDetails(state)
    if (waitMs !== null) await condition(() => isChanged, waitMs)
    else if (!isChanged) return { state: state === 'suspended' ? 'suspended' : 'over' }
  }
}
