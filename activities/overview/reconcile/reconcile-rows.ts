import { claimDueWorkflows, WATCHED_FAMILIES, type DueWorkflow } from '../../../db/kernel/outbox/due-looks.ts'
import { pokeWorkflow } from '../../../temporal/poke.ts'
import type { ReconcileDeps } from './deps.ts'
import type { ReconcileReport } from './reports.ts'

/** Workflows found at once. */
const BATCH = 100
/** Workflows of one family that one tick starts; the others follow with the next ticks. */
const PER_TICK = 1000
/** Calls to Temporal at once. */
const PARALLEL = 8

/**
 * Starts the workflows whose rows have work due, whatever became of their last run: cancelled, terminated, timed out, or
 * unknown to Temporal. One that runs after all gets a signal and looks at its rows. Safe to run twice at once.
 */
export async function reconcileRows(
  deps: ReconcileDeps,
  signal: AbortSignal,
): Promise<Omit<ReconcileReport, 'admitted'>> {
  const counts = { started: 0, restarted: 0, finished: 0, failed: 0 }
  const start = async (workflow: DueWorkflow): Promise<void> => {
    try {
      await pokeWorkflow(deps.temporal, workflow)
      counts.restarted++
    } catch (error) {
      counts.failed++
      deps.log.warn(
        { err: error, workflow: workflow.workflowId },
        'a workflow could not be started from its rows; a later tick tries again',
      )
    }
  }
  for (const family of WATCHED_FAMILIES) {
    let found = BATCH
    for (let total = 0; found === BATCH && total < PER_TICK && !signal.aborted; total += found) {
      const due = await claimDueWorkflows(deps.db, { family, batch: BATCH, now: deps.now() })
      found = due.length
      const queue = due.values()
      const worker = async (): Promise<void> => {
        for (const workflow of queue) await start(workflow)
      }
      await Promise.all(Array.from({ length: Math.min(PARALLEL, found) }, worker))
    }
  }
  return counts
}
