import { Forget } from '../../../core/gateway/workflows.ts'
import { claimDueForgets } from '../../../db/gateway/across/due-forgets.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'

/** Goes on with requests to forget that are not done, whatever became of their run. */
export const reconcileForgets = reconciles({
  family: Forget,
  open: async ({ db }, page) => await claimDueForgets(db, page),
})
