import { condition, continueAsNew, proxyActivities, setCurrentDetails, setHandler, sleep } from '@temporalio/workflow'
import type { BillingActivities } from '../../../activities/billing/billing/activities.ts'
import type { Billing } from '../../../core/billing/workflows.ts'
import type { ErrorCode } from '../../../core/errors.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { FINISH, PROCESSOR } from '../../kernel/policies.ts'
import { changedSignal, refOf, type BillingRef } from './messages.ts'

const rows = proxyActivities<BillingActivities>(FINISH)
const processor = proxyActivities<BillingActivities>(PROCESSOR)

/** How it ended: there was nothing left to wait for. */
export interface BillingOutcome {
  readonly state: 'idle'
}

/** Turns after which the history starts anew. */
const TURNS = 200
const PAUSE_AFTER_FAILURE = '1 hour'

/**
 * Carries out what a tenant's billing rows say: the end of a paid period comes when it is due, whether or not the payment
 * processor is there, and what was decided here is told to it for as long as that takes. It ends when nothing is left, and
 * is started again when something is.
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
      // The rows still say it, so it is tried again.
      setCurrentDetails(`the payment processor could not be told: ${failure}`)
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
      // A signal that came meanwhile may have told of something.
      if (isChanged) continue
      return { state: 'idle' }
    }
    if (waitMs === null) await condition(() => isChanged)
    else await condition(() => isChanged, waitMs)
  }
  // Ends of periods do not wait for a push that is under way: the next run begins another one, which does no harm.
  return await continueAsNew<typeof billing>(input)
}

/** Answers why it did not work: a day without success, or a worker that has no key of the processor. */
async function pushOnce(ref: BillingRef): Promise<ErrorCode | null> {
  try {
    const { state } = await processor.pushBilling(ref)
    return state === 'unreachable' ? 'billing_not_configured' : null
  } catch (error) {
    return codeOfFailure(error)
  }
}
