import { DomainError } from '../../../core/errors.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Operation } from '../../operation.ts'
import type { Transaction } from '../../transaction.ts'
import { MOVED_TABLES, type MovedTable } from './merged-tables.ts'

/**
 * Gives everything that an anonymous workspace made to the operation's tenant, in the caller's transaction, in which the
 * workspace is locked already. The workspace ends: its token and sessions stop on every process at once. Throws
 * `jobs_running` while work of the workspace is under way.
 */
export async function mergeTenant(
  tx: Transaction,
  op: Operation,
  input: { readonly sourceTenantId: string },
): Promise<void> {
  const source = input.sourceTenantId
  await refuseUnfinished(tx, source)
  // Told before the move, so that every process forgets what the names stood for.
  await tx.query(`select pg_notify('svc_concepts', id) from concepts where tenant_id = $1`, [source])
  const counts: Record<string, number> = {}
  for (const table of MOVED_TABLES) {
    const moved = await move(tx, table, source, op.tenantId)
    if (moved > 0) counts[table] = moved
  }
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

/** Ends every key and session of a tenant on every process at once. */
export async function endAccess(tx: Transaction, tenantId: string, now: Date): Promise<void> {
  await tx.query('update api_keys set revoked_at = $2 where tenant_id = $1 and revoked_at is null', [tenantId, now])
  await tx.query('update sessions set closed_at = $2 where tenant_id = $1 and closed_at is null', [tenantId, now])
  await tx.query(`select pg_notify('svc_keys', $1)`, [tenantId])
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
  const moved = await tx.query(`${STATEMENTS[table] ?? plainMove(table)} returning 1`, [from, to])
  if (table === 'usage_days') await tx.query('delete from usage_days where tenant_id = $1', [from])
  return moved.length
}

function plainMove(table: MovedTable): string {
  return `update ${table} set tenant_id = $2 where tenant_id = $1`
}

/** Tables in which a row of the workspace may meet one of the other tenant. */
const STATEMENTS: Readonly<Partial<Record<MovedTable, string>>> = {
  // The key of a repeated call belongs to the caller who had the token; in the other tenant it may mean another call.
  compile_jobs: `update compile_jobs set tenant_id = $2, idempotency_route = null, idempotency_key = null,
    idempotency_body_hash = null where tenant_id = $1`,
  adapter_manifests: `update adapter_manifests m set tenant_id = $2 where tenant_id = $1 and not exists (
    select 1 from adapter_manifests o
    where o.tenant_id = $2 and o.adapter_id = m.adapter_id and o.version = m.version)`,
  usage_days: `insert into usage_days as u
      (tenant_id, day, unit, namespace, team_id, member_id, quantity, cost_usd_micros, latency_sum_us)
    select $2, day, unit, namespace, team_id, member_id, quantity, cost_usd_micros, latency_sum_us
    from usage_days where tenant_id = $1
    on conflict (tenant_id, day, unit, namespace, team_id, member_id) do update set
      quantity = u.quantity + excluded.quantity, cost_usd_micros = u.cost_usd_micros + excluded.cost_usd_micros,
      latency_sum_us = u.latency_sum_us + excluded.latency_sum_us`,
}
