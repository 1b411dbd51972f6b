import { Forget } from '../../../core/gateway/workflows.ts'
import { claimDueForgets } from '../../../db/gateway/across/due-forgets.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'

/** Continues requests to forget that are not done, also when their run was lost. */
export const reconcileForgets = reconciles({
  family: Forget,
  open: async ({ db }, page) => await claimDueForgets(db, page),
})
