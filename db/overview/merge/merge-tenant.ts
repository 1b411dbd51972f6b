import { DomainError } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { endAccess } from '../../accounts/tenants/end-access.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import { MOVED_TABLES, type MovedTable } from './merged-tables.ts'

/**
 * Gives everything that an anonymous workspace made to the operation's tenant, in the caller's transaction, in which the
 * workspace is locked already. The workspace ends: its token and sessions stop on every process at once. Throws
 * `jobs_running` while work of the workspace is under way, and `invalid_credential` when the other tenant is no more.
 */
export async function mergeTenant(
  tx: Transaction,
  op: Operation,
  input: { readonly sourceTenantId: string },
): Promise<void> {
  const source = input.sourceTenantId
  await requireLiveTenant(tx, op.tenantId)
  await refuseUnfinished(tx, source)
  // Told before the move, so that every process forgets what the names stood for.
  await tx.query(`select pg_notify('svc_concepts', id) from concepts where tenant_id = $1`, [source])
  const counts: Record<string, number> = {}
  for (const table of MOVED_TABLES) {
    const moved = await move(tx, table, source, op.tenantId)
    if (moved > 0) counts[table] = moved
  }
  await tx.query('update tenant_storage set counted_at = null where tenant_id = $1', [op.tenantId])
  const now = op.now()
  await tx.query('update tenants set claimed_into = $2, deleted_at = $3, expires_at = null where id = $1', [
    source,
    op.tenantId,
    now,
  ])
  await endAccess(tx, source, now)
  const to = { ...op, tenantId: source }
  await recordAudit(tx, to, { action: 'tenant.merged', target: op.tenantId, payload: { into: op.tenantId } })
  await recordAudit(tx, op, { action: 'tenant.merged', target: source, payload: { from: source, moved: counts } })
}

async function refuseUnfinished(tx: Transaction, tenantId: string): Promise<void> {
  const [row] = await tx.query<{ jobs: number }>(
    `select (select count(*) from compile_jobs where tenant_id = $1 and finished_at is null)
       + (select count(*) from exports where tenant_id = $1 and finished_at is null) as jobs`,
    [tenantId],
  )
  const jobs = row?.jobs ?? 0
  if (jobs === 0) return
  throw new DomainError(
    'jobs_running',
    `${jobs} jobs of the workspace are not finished; wait for them or cancel them`,
    {
      details: { jobs },
    },
  )
}

async function move(tx: Transaction, table: MovedTable, from: string, to: string): Promise<number> {
  const statement = STATEMENTS[table] ?? `update ${table} set tenant_id = $2 where tenant_id = $1`
  return (await tx.query(`${statement} returning 1`, [from, to])).length
}

/** Tables in which a row of the workspace may meet one of the other tenant. */
const STATEMENTS: Readonly<Partial<Record<MovedTable, string>>> = {
  // The key of a repeated call belongs to the caller who had the token; in the other tenant it may mean another call.
  compile_jobs: `update compile_jobs set tenant_id = $2, idempotency_route = null, idempotency_key = null,
    idempotency_body_hash = null, idempotency_credential = null where tenant_id = $1`,
  adapter_manifests: `update adapter_manifests m set tenant_id = $2 where tenant_id = $1 and not exists (
    select 1 from adapter_manifests o
    where o.tenant_id = $2 and o.adapter_id = m.adapter_id and o.version = m.version)`,
  usage_days: `with gone as (delete from usage_days where tenant_id = $1 returning *)
    insert into usage_days as u
      (tenant_id, day, unit, namespace, team_id, member_id, quantity, cost_usd_micros, latency_sum_us)
    select $2, day, unit, namespace, team_id, member_id, quantity, cost_usd_micros, latency_sum_us from gone
    on conflict (tenant_id, day, unit, namespace, team_id, member_id) do update set
      quantity = u.quantity + excluded.quantity, cost_usd_micros = u.cost_usd_micros + excluded.cost_usd_micros,
      latency_sum_us = u.latency_sum_us + excluded.latency_sum_us`,
}
