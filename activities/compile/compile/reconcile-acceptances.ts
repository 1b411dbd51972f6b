import { Accept } from '../../../core/compile/workflows.ts'
import { claimDueAcceptances } from '../../../db/compile/across/due/due-acceptances.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'

/** Signs accepted candidates that are still pending, also when their run was lost. */
export const reconcileAcceptances = reconciles({
  family: Accept,
  open: async ({ db }, page) => await claimDueAcceptances(db, page),
})
