import { Index } from '../../../core/compile/workflows.ts'
import { listOpenIndexes } from '../../../db/compile/across/open-indexes.ts'
import { finishIndex } from '../../../db/compile/documents/run-index.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'
import { operationOf } from './deps.ts'
import { failureText } from './failure-text.ts'

/** Fails a call that indexes files whose run ended without ending it. */
export const reconcileIndexes = reconciles({
  family: Index,
  open: async ({ db }, page) => await listOpenIndexes(db, page),
  settle: async (deps, ref) => {
    const code = 'index_failed'
    await finishIndex(operationOf(deps, ref), {
      indexId: ref.indexId,
      failure: { code, message: failureText(code) },
    })
    return true
  },
})
