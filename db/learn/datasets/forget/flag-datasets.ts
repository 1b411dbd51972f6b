import { sql } from 'kysely'
import type { CaptureLearners } from '../../../../core/gateway/ports.ts'
import { compileLearners } from '../../../compile/jobs/captures/flag-learners.ts'
import type { Transaction } from '../../../kernel/transaction.ts'

/**
 * The datasets that hold captures, for those who forget captures: their rows are flagged at once, so that no later version,
 * compile or export takes them, and erased from every version within a minute.
 */
const datasetLearners: CaptureLearners<Transaction> = {
  async flag(tx, { tenantId, ids, at }) {
    if (ids.length === 0) return []
    const rows = await tx.q
      .updateTable('dataset_captures')
      .set({ forgotten_at: at })
      .where('tenant_id', '=', tenantId)
      .where(sql<boolean>`capture_id = any(${[...ids]}::text[])`)
      .where('forgotten_at', 'is', null)
      .returning(['capture_id as captureId', 'dataset_id as id'])
      .execute()
    return rows.map(({ captureId, id }) => ({ captureId, id, isArtifact: false, isDataset: true }))
  },
}

/** All that learns from captures: compiles, and datasets. */
export const captureLearners: CaptureLearners<Transaction> = {
  async flag(tx, forgotten) {
    const compiles = await compileLearners.flag(tx, forgotten)
    return [...compiles, ...(await datasetLearners.flag(tx, forgotten))]
  },
}
