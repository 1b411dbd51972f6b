import { duePokes, markPoked } from '../../../db/kernel/outbox/request-poke.ts'
import { pokeWorkflow } from '../../../temporal/poke.ts'
import type { ReconcileDeps } from './deps.ts'
import type { ReconcileReport } from './reports.ts'

const BATCH = 100

/** Starts or wakes the workflows that somebody asked for and that nobody has reached yet. Safe to run twice at once. */
export async function reconcilePokes(
  deps: ReconcileDeps,
  signal: AbortSignal,
): Promise<Omit<ReconcileReport, 'admitted'>> {
  const counts = { started: 0, restarted: 0, finished: 0, failed: 0 }
  for (let due = BATCH; due === BATCH && !signal.aborted;) {
    const pokes = await duePokes(deps.db, { batch: BATCH, now: deps.now() })
    for (const poke of pokes) {
      try {
        await pokeWorkflow(deps.temporal, poke)
        await markPoked(deps.db, poke)
        counts.started++
      } catch (error) {
        counts.failed++
        deps.log.warn(
          { err: error, workflow: poke.workflowId },
          'a workflow could not be poked; the next tick tries again',
        )
      }
    }
    due = pokes.length
  }
  return counts
}
