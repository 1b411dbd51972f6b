import type { Limits } from '../../../core/compile/limits.ts'
import { dueErasures } from '../../../db/compile/across/due/due-erasures.ts'
import { eraseExamples } from '../../../db/compile/jobs/captures/erase-examples.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'
import { ONE_ATTEMPT, type Chore } from '../../kernel/chores/chore.ts'
import type { ReconcileDeps } from '../../kernel/reconcile/deps.ts'

/** Jobs of one tick; the next one does the rest. */
const JOBS = 100

/** Erases the examples of forgotten captures from jobs that learned from them. A job that fails is tried again. */
export const eraseForgotten: Chore<ReconcileDeps<Limits>> = {
  name: 'forgottenExamples',
  attempts: ONE_ATTEMPT,
  summary: 'Erase examples of forgotten captures from the compiles that learned from them',
  async run({ db, limits, log, now }, { signal, progress }) {
    let erased = 0
    for (const { jobId, tenantId } of await dueErasures(db, JOBS)) {
      if (signal.aborted) break
      try {
        const op = systemOperation(db, { tenantId, name: 'forget', requestId: jobId, now })
        await eraseExamples(op, { jobId, limits, signal })
        erased++
      } catch (error) {
        log.warn({ err: error, jobId }, 'examples of forgotten captures could not be erased; the next tick tries again')
      }
      progress()
    }
    return { erased }
  },
}
