import { Billing, Dunning } from '../../../core/billing/workflows.ts'
import { claimDueBilling } from '../../../db/billing/across/due-billing.ts'
import { claimDueDunnings } from '../../../db/billing/across/due-dunnings.ts'
import { reconciles } from '../../kernel/reconcile/reconciliation.ts'

/** Ends of periods and calls to the processor that are due are carried out, whatever became of the run. */
export const reconcileBilling = reconciles({
  family: Billing,
  open: async ({ db }, page) => await claimDueBilling(db, page),
})

/** Steps of dunnings that are overdue are taken, whatever became of the run. */
export const reconcileDunnings = reconciles({
  family: Dunning,
  open: async ({ db }, page) => await claimDueDunnings(db, page),
})
