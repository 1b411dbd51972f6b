import { Deletion } from '../../../core/overview/workflows.ts'
import { claimDueDeletions } from '../../../db/overview/across/deletion/due-deletions.ts'
import { reconciles } from '../../kernel/reconcile/reconciliation.ts'

/** Deleted tenants are cleared up after, whatever became of the run. */
export const reconcileDeletions = reconciles({
  family: Deletion,
  open: async ({ db }, page) => await claimDueDeletions(db, page),
})
