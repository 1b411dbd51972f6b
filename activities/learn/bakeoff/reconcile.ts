import { Bakeoff } from '../../../core/learn/workflows.ts'
import { listOpenBakeoffs } from '../../../db/learn/across/open-bakeoffs.ts'
import { finishBakeoff } from '../../../db/learn/bakeoffs/run-bakeoff.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'
import { operationOf } from './deps.ts'
import { failureText } from './failure-text.ts'

/** Fails a bake-off whose run ended without ending it. */
export const reconcileBakeoffs = reconciles({
  family: Bakeoff,
  open: async ({ db }, page) => await listOpenBakeoffs(db, page),
  settle: async (deps, ref) => {
    const code = 'bakeoff_failed'
    await finishBakeoff(operationOf(deps, ref), ref.bakeoffId, { failure: { code, message: failureText(code) } })
    return true
  },
})
