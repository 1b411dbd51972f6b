import { setTimeout as sleep } from 'node:timers/promises'
import { failExport } from '../../../db/compile/exports/finish-export.ts'
import { dueExportStarts, unfinishedExports, type UnfinishedExport } from '../../../db/compile/exports/starts.ts'
import { findRun, listRunning } from '../../../temporal/runs.ts'
import type { ReconcileDeps } from './deps.ts'
import { operationOf } from '../../compile/export/deps.ts'
import { failureText } from '../../compile/export/failure-text.ts'
import { startExport } from '../../compile/export/start-export.ts'

const BATCH = 100
/** The name that workflows/kernel/names.ts gives the family; activities do not import workflow code. */
const WORKFLOW_TYPE = 'export'
/** An export that was accepted this recently may still be on its way to Temporal. */
const SETTLE_MS = 15_000
/** How long a run that looks gone is given to finish its row after all. */
const SECOND_LOOK_MS = 500

/** What one look at the exports did. */
export interface ExportReconciliation {
  readonly started: number
  readonly restarted: number
  readonly finished: number
  readonly failed: number
}

/**
 * Brings rows and workflows of exports together: starts what is due, starts again what Temporal knows nothing of, and
 * ends rows whose workflow ended without them. What fails here is left to the next tick. Safe to run twice at once.
 */
export async function reconcileExports(deps: ReconcileDeps, signal: AbortSignal): Promise<ExportReconciliation> {
  const counts = { started: 0, restarted: 0, finished: 0, failed: 0 }
  const attempt = async (counted: 'started' | 'restarted' | 'finished', work: () => Promise<boolean>) => {
    try {
      if (await work()) counts[counted]++
    } catch (error) {
      counts.failed++
      deps.log.warn({ err: error }, 'an export could not be reconciled; the next tick tries again')
    }
  }
  for (let due = BATCH; due === BATCH && !signal.aborted;) {
    const starts = await dueExportStarts(deps.db, { batch: BATCH, now: deps.now() })
    for (const exportId of starts) await attempt('started', () => startExport(deps, exportId))
    due = starts.length
  }
  const running = await listRunning(deps.temporal, WORKFLOW_TYPE)
  const createdBefore = new Date(deps.now().getTime() - SETTLE_MS)
  for (let afterId = ''; !signal.aborted;) {
    const page = await unfinishedExports(deps.db, { createdBefore, afterId, limit: BATCH })
    for (const unfinished of page) {
      if (!running.has(unfinished.exportId)) await heal(deps, unfinished, attempt)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < BATCH) break
    afterId = last.exportId
  }
  return counts
}

async function heal(
  deps: ReconcileDeps,
  unfinished: UnfinishedExport,
  attempt: (counted: 'restarted' | 'finished', work: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
  const { exportId } = unfinished
  const state = await findRun(deps.temporal, exportId)
  if (state === 'running' || state === 'unknown') return
  if (state === 'missing') {
    await attempt('restarted', () => startExport(deps, exportId))
    return
  }
  // The workflow may have ended between the two looks, its row with it: ending a row twice changes nothing.
  await sleep(SECOND_LOOK_MS)
  await attempt('finished', async () => {
    await failExport(operationOf(deps, unfinished), {
      exportId,
      errorCode: 'export_failed',
      errorMessage: failureText('export_failed'),
    })
    return true
  })
}
