import { randomUUID } from 'node:crypto'
import type { Database } from '../../kernel/database.ts'
import { inTransaction } from '../../kernel/transaction.ts'
import { returnUnits, type QuotaAccount } from './units.ts'

/** Largest block that one grant leases. */
const LARGEST_BLOCK = 500
/** A grant leases at most this share of what is left, so that blocks shrink to what is asked for near the limit. */
const SHARE = 20

/** A block of units that this process holds. */
export interface Lease extends QuotaAccount {
  readonly id: string
  granted: number
  spent: number
  /** What of `spent` the database knows. */
  flushed: number
  /** When the database last heard of it, milliseconds of a monotonic clock. */
  touchedAtMs: number
  /** When a call last took from it, likewise. */
  usedAtMs: number
}

/** A new lease that holds nothing yet. */
export function newLease(account: QuotaAccount, nowMs: number): Lease {
  return {
    id: randomUUID(),
    tenantId: account.tenantId,
    period: account.period,
    granted: 0,
    spent: 0,
    flushed: 0,
    touchedAtMs: nowMs,
    usedAtMs: nowMs,
  }
}

/**
 * Takes a block from the tenant's quota and adds it to the lease: as many units as callers wait for, more when much
 * is left, less when less is left. Writes down what was spent on the way. Answers how many.
 */
export async function growLease(db: Database, lease: Lease, wanted: number, quota: number): Promise<number> {
  const { spent } = lease
  const granted = await inTransaction(db, null, async (tx) => {
    await tx.query(
      `insert into quota_periods (tenant_id, period, used_units) values ($1, $2, 0)
       on conflict (tenant_id, period) do nothing`,
      [lease.tenantId, lease.period],
    )
    const [period] = await tx.query<{ used: number }>(
      'select used_units as used from quota_periods where tenant_id = $1 and period = $2 for no key update',
      [lease.tenantId, lease.period],
    )
    const left = Math.max(quota - (period?.used ?? 0), 0)
    const block = Math.min(left, Math.max(wanted, Math.min(Math.floor(left / SHARE), LARGEST_BLOCK)))
    if (block === 0) return 0
    await tx.query('update quota_periods set used_units = used_units + $3 where tenant_id = $1 and period = $2', [
      lease.tenantId,
      lease.period,
      block,
    ])
    await tx.query(
      `insert into quota_leases as l (id, tenant_id, period, granted_units, spent_units, touched_at)
       values ($1, $2, $3, $4, 0, now())
       on conflict (id) do update set granted_units = l.granted_units + excluded.granted_units, spent_units = $5,
         touched_at = now()`,
      [lease.id, lease.tenantId, lease.period, block, spent],
    )
    return block
  })
  if (granted > 0) lease.flushed = spent
  return granted
}

/** Ends a lease: what is unspent goes back. Of one that was reclaimed meanwhile, what nobody knew of is charged. */
export async function endLease(db: Database, lease: Lease): Promise<void> {
  const { spent, flushed } = lease
  await inTransaction(db, null, async (tx) => {
    const [ended] = await tx.query<{ granted: number }>(
      'delete from quota_leases where id = $1 returning granted_units as granted',
      [lease.id],
    )
    await returnUnits(tx, lease, ended === undefined ? flushed - spent : ended.granted - spent)
  })
}

/** Writes down what was spent, one statement for all. Answers the ids of the leases that are still there. */
export async function flushLeases(db: Database, leases: readonly Lease[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(
    `update quota_leases l set spent_units = f.spent, touched_at = now()
     from unnest($1::uuid[], $2::bigint[]) as f(id, spent) where l.id = f.id returning l.id`,
    [leases.map((lease) => lease.id), leases.map((lease) => lease.spent)],
  )
  return new Set(rows.map((row) => row.id))
}
