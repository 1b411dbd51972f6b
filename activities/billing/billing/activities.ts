import { wakeBilling } from '../../../db/billing/standing/project.ts'
import { settleBilling } from '../../../db/billing/carry-out.ts'
import { takeDunningSteps } from '../../../db/billing/dunning/take-dunning-steps.ts'
import type { DunningState } from '../../../db/billing/dunning/dunning.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type BillingDeps, type BillingRef } from './deps.ts'
import { pushBilling, type PushOutcome } from './push-billing.ts'

/** Milliseconds to wait, at least one; null when there is nothing to wait for. */
function waitFor(deps: BillingDeps, at: Date | null): number | null {
  return at === null ? null : Math.max(at.getTime() - deps.now().getTime(), 1)
}

/** The activities of billing and dunning. All of them read rows and may be repeated. */
export const createBillingActivities = (deps: BillingDeps) => ({
  /** Applies changes that are due. Returns when to look again, and whether the processor must be notified. */
  settleBilling: (ref: BillingRef): Promise<{ readonly waitMs: number | null; readonly isPushDue: boolean }> =>
    runActivity(deps.log, async () => {
      const { nextEndAt, isPushDue } = await settleBilling(operationOf(deps, ref), { limits: deps.limits })
      return { waitMs: waitFor(deps, nextEndAt), isPushDue }
    }),
  pushBilling: (ref: BillingRef): Promise<PushOutcome> => runActivity(deps.log, () => pushBilling(deps, ref)),
  /** Leaves notifications that failed to the billing workflow, which keeps retrying. */
  leaveToBilling: (ref: BillingRef): Promise<void> =>
    runActivity(deps.log, async () => {
      const op = operationOf(deps, ref)
      await op.write(async (tx) => await wakeBilling(tx, op))
    }),
  /** Takes the steps of a dunning that are due; the dunning's id is the workflow id. */
  dunningStep: (ref: BillingRef): Promise<{ readonly waitMs: number | null; readonly state: DunningState | 'over' }> =>
    runActivity(deps.log, async () => {
      const { state, nextStepAt } = await takeDunningSteps(operationOf(deps, ref), {
        dunningId: ref.workflowId,
        limits: deps.limits,
      })
      return { waitMs: waitFor(deps, nextStepAt), state }
    }),
})

/** The billing activities, as their workflows see them. */
export type BillingActivities = ReturnType<typeof createBillingActivities>
