import { Export } from '../../../core/compile/workflows.ts'
import { failExport } from '../../../db/compile/exports/finish-export.ts'
import { listOpenExports } from '../../../db/compile/across/open-exports.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'
import { operationOf } from './deps.ts'
import { failureText } from './failure-text.ts'

/** Fails an export whose run ended without ending it. */
export const reconcileExports = reconciles({
  family: Export,
  open: async ({ db }, page) => await listOpenExports(db, page),
  settle: async (deps, ref) => {
    await failExport(operationOf(deps, ref), {
      exportId: ref.exportId,
      errorCode: 'export_failed',
      errorMessage: failureText('export_failed'),
    })
    return true
  },
})
