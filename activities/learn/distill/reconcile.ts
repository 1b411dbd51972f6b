import { Distill } from '../../../core/learn/workflows.ts'
import { listOpenRuns } from '../../../db/learn/across/open-runs.ts'
import { finishRun } from '../../../db/learn/distill/finish-run.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'
import { operationOf } from './deps.ts'
import { failureText } from './failure-text.ts'

/** Fails a run whose workflow ended without ending it. */
export const reconcileRuns = reconciles({
  family: Distill,
  open: async ({ db }, page) => await listOpenRuns(db, page),
  settle: async (deps, ref) => {
    const code = 'distill_failed'
    await finishRun(operationOf(deps, ref), ref.runId, {
      state: 'failed',
      error: { code, message: failureText(code) },
    })
    return true
  },
})
