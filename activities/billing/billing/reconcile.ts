import { Billing, Dunning } from '../../../core/billing/workflows.ts'
import { claimDueBilling } from '../../../db/billing/across/due-billing.ts'
import { claimDueDunnings } from '../../../db/billing/across/due-dunnings.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'

/** Carries out ends of periods and processor calls that are due, also when their run was lost. */
export const reconcileBilling = reconciles({
  family: Billing,
  open: async ({ db }, page) => await claimDueBilling(db, page),
})

/** Takes dunning steps that are overdue, also when their run was lost. */
export const reconcileDunnings = reconciles({
  family: Dunning,
  open: async ({ db }, page) => await claimDueDunnings(db, page),
})
