import { Lifecycle } from '../../../core/compile/workflows.ts'
import { claimDueTransitions } from '../../../db/compile/across/due/due-transitions.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'

/** Carries out the effects of transitions that are still pending, also when their run was lost. */
export const reconcileLives = reconciles({
  family: Lifecycle,
  open: async ({ db }, page) => await claimDueTransitions(db, page),
})
