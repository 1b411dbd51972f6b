import type { ErrorCode } from '../../../core/learn/errors.ts'
import { finishEvaluation } from '../../../db/learn/evals/run-evaluation.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { askModel } from './ask-model.ts'
import { concludeEvaluation } from './conclude.ts'
import { operationOf, type EvaluationDeps, type EvaluationRef } from './deps.ts'
import { failureText } from './failure-text.ts'
import { scoreRows } from './score-rows.ts'

/** The activities of evaluations. All are safe to repeat: a row is answered and scored once, and an evaluation ends once. */
export const createEvaluationActivities = (deps: EvaluationDeps) => ({
  askModel: (ref: EvaluationRef) => askModel(deps, ref),
  scoreRows: (ref: EvaluationRef) => scoreRows(deps, ref),
  concludeEvaluation: (ref: EvaluationRef) => concludeEvaluation(deps, ref),
  failEvaluation: ({ errorCode, ...ref }: EvaluationRef & { readonly errorCode: ErrorCode }): Promise<void> =>
    runActivity(deps.log, async () => {
      const failure = { code: errorCode, message: failureText(errorCode) }
      await finishEvaluation(operationOf(deps, ref), ref, { failure })
    }),
})

/** The activities of evaluations, as their workflow sees them. */
export type EvaluationActivities = ReturnType<typeof createEvaluationActivities>
