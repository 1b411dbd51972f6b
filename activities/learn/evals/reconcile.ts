import { Evaluate } from '../../../core/learn/workflows.ts'
import { listOpenEvaluations } from '../../../db/learn/across/open-evaluations.ts'
import { finishEvaluation } from '../../../db/learn/evals/run-evaluation.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'
import { operationOf } from './deps.ts'
import { failureText } from './failure-text.ts'

/** Fails an evaluation whose run ended without ending it. */
export const reconcileEvaluations = reconciles({
  family: Evaluate,
  open: async ({ db }, page) => await listOpenEvaluations(db, page),
  settle: async (deps, ref) => {
    const code = 'evaluation_failed'
    await finishEvaluation(operationOf(deps, ref), ref, { failure: { code, message: failureText(code) } })
    return true
  },
})
