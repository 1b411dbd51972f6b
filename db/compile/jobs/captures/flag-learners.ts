import { sql } from 'kysely'
import type { CaptureLearners } from '../../../../core/gateway/ports.ts'
import { isFinal } from '../../../../core/compile/rows/task.ts'
import { forgetRows } from '../../row-results/forget-rows.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { flagContinued } from './flag-continued.ts'

/**
 * The compiles of captures, for those who forget captures. A job that failed or was cancelled made nothing to review; its
 * examples are erased as well.
 */
export const compileLearners: CaptureLearners<Transaction> = {
  async flag(tx, { tenantId, ids, at }) {
    if (ids.length === 0) return []
    const used = await tx.q
      .updateTable('compile_captures as u')
      .from('compile_jobs as j')
      .set({ forgotten_at: at })
      .whereRef('j.id', '=', 'u.job_id')
      .where('u.tenant_id', '=', tenantId)
      .where(sql<boolean>`u.capture_id = any(${[...ids]}::text[])`)
      .where('u.forgotten_at', 'is', null)
      .returning(['u.capture_id as captureId', 'u.job_id as id', 'j.status'])
      .execute()
    const continued = await flagContinued(tx, { tenantId, used, at })
    await forgetRows(tx, { tenantId, rows: used.map(({ id, captureId }) => ({ artifactId: id, rowId: captureId })) })
    return [...used, ...continued]
      .filter(({ status }) => status === 'ready' || status === 'gated' || !isFinal(status))
      .map(({ captureId, id, status }) => ({ captureId, id, isArtifact: status === 'ready' }))
  },
}
