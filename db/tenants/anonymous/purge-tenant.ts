import { DomainError } from '../../../core/errors.ts'
import type { Database } from '../../database.ts'
import { inTransaction } from '../../transaction.ts'

/**
 * What is removed, in an order that foreign keys allow. Rows without a tenant go with what they hang on. The ledger, the
 * receipt secrets and the tenant's own row stay: they say that there was a workspace, and nothing of what was in it.
 */
const REMOVALS = [
  'delete from share_links where tenant_id = $1',
  'delete from exports where tenant_id = $1',
  'delete from invocation_stats where tenant_id = $1',
  'delete from evidence_edges where artifact_id in (select id from artifacts where tenant_id = $1)',
  'delete from evidence_nodes where tenant_id = $1',
  'delete from artifacts where tenant_id = $1',
  'delete from versions where tenant_id = $1',
  'delete from concepts where tenant_id = $1',
  'delete from teacher_samples where tenant_id = $1',
  'delete from teacher_rounds where tenant_id = $1',
  'delete from training_records where job_id in (select id from compile_jobs where tenant_id = $1)',
  'delete from job_events where job_id in (select id from compile_jobs where tenant_id = $1)',
  'delete from job_stages where job_id in (select id from compile_jobs where tenant_id = $1)',
  'delete from compile_jobs where tenant_id = $1',
  'delete from idempotency_keys where tenant_id = $1',
  'delete from usage_days where tenant_id = $1',
  'delete from snoozes where tenant_id = $1',
  'delete from sessions where tenant_id = $1',
] as const

/**
 * Removes what an anonymous workspace held whose time is over. Repeating it changes nothing, and so does calling it for
 * any other tenant. The blobs that nothing names any more are collected by housekeeping. Throws `busy` while work of the
 * workspace is under way.
 */
export async function purgeTenant(db: Database, input: { readonly tenantId: string }): Promise<void> {
  const { tenantId } = input
  await inTransaction(db, null, async (tx) => {
    const expired = await tx.query(
      `select 1 from tenants
       where id = $1 and kind = 'anonymous' and claimed_into is null and deleted_at is not null for update`,
      [tenantId],
    )
    if (expired.length === 0) return
    const unfinished = await tx.query(
      `select 1 from compile_jobs where tenant_id = $1 and finished_at is null
       union all select 1 from exports where tenant_id = $1 and finished_at is null limit 1`,
      [tenantId],
    )
    if (unfinished.length > 0) throw new DomainError('busy', 'work of the workspace is still under way')
    await tx.query(`select pg_notify('svc_concepts', id) from concepts where tenant_id = $1`, [tenantId])
    for (const removal of REMOVALS) await tx.query(removal, [tenantId])
  })
}
