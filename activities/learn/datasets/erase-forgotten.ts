import { dueRowErasures } from '../../../db/learn/across/open-builds.ts'
import { eraseRows } from '../../../db/learn/datasets/forget/erase-rows.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'
import { ONE_ATTEMPT, type Chore } from '../../kernel/chores/chore.ts'
import type { ReconcileDeps } from '../../kernel/reconcile/deps.ts'

/** Datasets of one tick; the next one does the rest. */
const DATASETS = 100

/** Erases the rows of forgotten captures from every version of the datasets that hold them. One that fails is tried again. */
export const eraseForgottenRows: Chore<ReconcileDeps> = {
  name: 'forgottenRows',
  attempts: ONE_ATTEMPT,
  summary: 'Erase rows of forgotten captures from the datasets that hold them',
  async run({ db, log, now }, { signal, progress }) {
    let erased = 0
    for (const { datasetId, tenantId } of await dueRowErasures(db, DATASETS)) {
      if (signal.aborted) break
      try {
        const op = systemOperation(db, { tenantId, name: 'forget', requestId: datasetId, now })
        await eraseRows(op, { datasetId, signal, progress })
        erased++
      } catch (error) {
        log.warn({ err: error, datasetId }, 'rows of forgotten captures could not be erased; the next tick tries again')
      }
      progress()
    }
    return { erased }
  },
}
