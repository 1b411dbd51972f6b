import type { ErrorCode } from '../../../core/learn/errors.ts'
import { finishRun } from '../../../db/learn/distill/finish-run.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { collectRows } from './collect-rows.ts'
import { compareModels } from './measure/compare-models.ts'
import { concludeRun } from './conclude-run.ts'
import { curateRows } from './curate-rows.ts'
import { operationOf, type DistillDeps, type RunRef } from './deps.ts'
import { evaluateStudent } from './measure/evaluate-student.ts'
import { failureText } from './failure-text.ts'
import { labelRows } from './label-rows.ts'
import { submitCompile } from './submit-compile.ts'
import { watchCompile } from './watch-compile.ts'

/** The activities of distillation. All are safe to repeat: what they make is found again by the id of the run. */
export const createDistillActivities = (deps: DistillDeps) => ({
  collectRows: (ref: RunRef) => collectRows(deps, ref),
  curateRows: (ref: RunRef) => curateRows(deps, ref),
  labelRows: (ref: RunRef) => labelRows(deps, ref),
  submitCompile: (ref: RunRef) => submitCompile(deps, ref),
  compareModels: (ref: RunRef) => compareModels(deps, ref),
  watchCompile: (ref: RunRef) => watchCompile(deps, ref),
  evaluateStudent: (ref: RunRef) => evaluateStudent(deps, ref),
  concludeRun: (ref: RunRef) => concludeRun(deps, ref),
  endRun: ({ errorCode, ...ref }: RunRef & { readonly errorCode: ErrorCode }): Promise<void> =>
    runActivity(deps.log, async () => {
      const state = errorCode === 'compile_cancelled' ? 'cancelled' : 'failed'
      await finishRun(operationOf(deps, ref), ref.runId, {
        state,
        error: { code: errorCode, message: failureText(errorCode) },
      })
    }),
})

/** The activities of distillation, as their workflow sees them. */
export type DistillActivities = ReturnType<typeof createDistillActivities>
