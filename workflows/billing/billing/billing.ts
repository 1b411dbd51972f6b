import { condition, continueAsNew, proxyActivities, setCurrentDetails, setHandler, sleep } from '@temporalio/workflow'
import type { BillingActivities } from '../../../activities/billing/billing/activities.ts'
import type { Billing } from '../../../core/billing/workflows.ts'
import { isErrorCode, type ErrorCode } from '../../../core/billing/errors.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { FINISH, PROCESSOR } from '../../kernel/policies.ts'
import { changedSignal, refOf, type BillingRef } from './messages.ts'

const rows = proxyActivities<BillingActivities>(FINISH)
const processor = proxyActivities<BillingActivities>(PROCESSOR)

/** The outcome: no work is left to wait for. */
export interface BillingOutcome {
  readonly state: 'idle'
}

/** Turns after which the workflow continues as new. */
const TURNS = 200
const PAUSE_AFTER_FAILURE = '1 hour'

/**
 * Carries out a tenant's billing rows: a paid period ends when it is due, whether or not the payment processor is
 * reachable, and decisions made here are sent to the processor, with retries for as long as that takes. It ends when no
 * work is left, and is started again when there is some.
 */
export async function billing(input: InputOf<typeof Billing>): Promise<BillingOutcome> {
  const ref = refOf(input)
  let isChanged = false
  let pushing: Promise<void> | undefined
  setHandler(changedSignal, () => {
    isChanged = true
  })
  const push = async (): Promise<void> => {
    const failure = await pushOnce(ref)
    if (failure !== null) {
      // The rows still say it, so the next turn tries again.
      setCurrentDetails(`the payment processor could not be notified: ${failure}`)
      await sleep(PAUSE_AFTER_FAILURE)
    }
    pushing = undefined
    isChanged = true
  }
  for (let turn = 0; turn < TURNS; turn++) {
    isChanged = false
    const { waitMs, isPushDue } = await rows.settleBilling(ref)
    if (isPushDue && pushing === undefined) pushing = push()
    if (waitMs === null && pushing === undefined) {
      // A signal that arrived meanwhile may report a change.
      if (isChanged) continue
      return { state: 'idle' }
    }
    if (waitMs === null) await condition(() => isChanged)
    else await condition(() => isChanged, waitMs)
  }
  // Ends of periods do not wait for a push under way: the next run begins another one, which is harmless.
  return await continueAsNew<typeof billing>(input)
}

/** Returns the reason for a failure: a day without success, or a worker without a key for the processor. */
async function pushOnce(ref: BillingRef): Promise<ErrorCode | null> {
  try {
    const { state } = await processor.pushBilling(ref)
    return state === 'unreachable' ? 'billing_not_configured' : null
  } catch (error) {
    return codeOfFailure(error, isErrorCode)
  }
}
