import type { ErrorCode } from '../../../core/compile/errors.ts'
import { failExport } from '../../../db/compile/exports/finish-export.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type ExportDeps, type ExportRef } from './deps.ts'
import { failureText } from './failure-text.ts'
import { writeExport } from './write-export.ts'

/** The activities of an export. Both are safe to repeat: the file is stored under its digest, and the row ends once. */
export const createExportActivities = (deps: ExportDeps) => ({
  writeExport: (ref: ExportRef) => writeExport(deps, ref),
  failExport: (ref: ExportRef & { readonly errorCode: ErrorCode }): Promise<void> =>
    runActivity(deps.log, async () => {
      await failExport(operationOf(deps, ref), {
        exportId: ref.exportId,
        errorCode: ref.errorCode,
        errorMessage: failureText(ref.errorCode),
      })
    }),
})

/** The export activities, as their workflow sees them. */
export type ExportActivities = ReturnType<typeof createExportActivities>
