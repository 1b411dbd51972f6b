import { findExportStart, markExportStarted } from '../../../db/compile/exports/starts.ts'
import { startExport as startWorkflow } from '../../../temporal/export.ts'
import type { StartDeps } from '../../kernel/start-deps.ts'

/**
 * Starts the workflow of an export and notes that it is there. Safe to repeat. False when there was nothing to start,
 * because the export is over or its workflow has been there before.
 */
export async function startExport(deps: Pick<StartDeps, 'db' | 'temporal'>, exportId: string): Promise<boolean> {
  const start = await findExportStart(deps.db, exportId)
  if (start === null) return false
  const isStarted = await startWorkflow(deps.temporal, start)
  await markExportStarted(deps.db, exportId)
  return isStarted
}
