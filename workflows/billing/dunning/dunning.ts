import { condition, proxyActivities, setCurrentDetails, setHandler } from '@temporalio/workflow'
import type { BillingActivities } from '../../../activities/billing/billing/activities.ts'
import type { Dunning } from '../../../core/billing/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import { changedSignal, refOf } from '../billing/messages.ts'
import { FINISH } from '../../kernel/policies.ts'

const rows = proxyActivities<BillingActivities>(FINISH)

/** The outcome: the plan is suspended, or every invoice was paid or has ended. */
export interface DunningOutcome {
  readonly state: 'suspended' | 'over'
}

/**
 * Sends reminders of a failed payment, and finally suspends the plan. The rows say when each step is due; after a
 * change, such as a payment or another failure, it reads them again.
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
