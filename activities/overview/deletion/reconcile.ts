import { Deletion } from '../../../core/overview/workflows.ts'
import { claimDueDeletions } from '../../../db/overview/across/deletion/due-deletions.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'

/** Cleans up after deleted tenants, also when their run was lost. */
export const reconcileDeletions = reconciles({
  family: Deletion,
  open: async ({ db }, page) => await claimDueDeletions(db, page),
})
