import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../kernel/database.ts'
import { tenantOf } from '../../kernel/operation.ts'
import { service } from '../../kernel/queries/service.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'
import { returnUnits, type QuotaAccount } from '../quota/units.ts'

/** Largest block that one grant leases. */
const LARGEST_BLOCK = 500
/**
 * A grant leases at most this share of the remaining units, so that blocks shrink to the requested size near the limit.
 */
const SHARE = 20

/** A block of units that this process holds. */
export interface Lease extends QuotaAccount {
  readonly id: string
  granted: number
  spent: number
  /** The part of `spent` that the database has recorded. */
  flushed: number
  /** When the database last recorded it, milliseconds of a monotonic clock. */
  touchedAtMs: number
  /** When a call last took from it, likewise. */
  usedAtMs: number
}

/** Makes an empty lease. */
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
 * Takes a block from the tenant's quota and adds it to the lease: as many units as callers wait for, or more when many
 * remain. Records the charged units on the way. Returns how many units.
 */
export async function growLease(db: Database, lease: Lease, wanted: number, quota: number): Promise<number> {
  const { spent } = lease
  const granted = await tenantOf(db, lease.tenantId).write(async (tx) => {
    const account = { tenant_id: lease.tenantId, period: lease.period }
    await tx.q
      .insertInto('quota_periods')
      .values({ ...account, used_units: 0 })
      .onConflict((on) => on.columns(['tenant_id', 'period']).doNothing())
      .execute()
    const period = await tx.q
      .selectFrom('quota_periods')
      .select('used_units as used')
      .where((of) => of.and(account))
      .forNoKeyUpdate()
      .executeTakeFirst()
    const left = Math.max(quota - (period?.used ?? 0), 0)
    const block = Math.min(left, Math.max(wanted, Math.min(Math.floor(left / SHARE), LARGEST_BLOCK)))
    if (block === 0) return 0
    await tx.q
      .updateTable('quota_periods')
      .set((of) => ({ used_units: of('used_units', '+', block) }))
      .where((of) => of.and(account))
      .execute()
    await tx.q
      .insertInto('quota_leases')
      .values({ ...account, id: lease.id, granted_units: block, spent_units: 0, touched_at: sql<Date>`now()` })
      .onConflict((on) =>
        on.column('id').doUpdateSet({
          granted_units: sql<number>`quota_leases.granted_units + excluded.granted_units`,
          spent_units: spent,
          touched_at: sql<Date>`now()`,
        }),
      )
      .execute()
    return block
  })
  if (granted > 0) lease.flushed = spent
  return granted
}

/**
 * Ends a lease and returns its uncharged units. For one that was reclaimed meanwhile, charges the units not yet
 * recorded.
 */
export async function endLease(db: Database, lease: Lease): Promise<void> {
  const { spent, flushed } = lease
  await tenantOf(db, lease.tenantId).write(async (tx) => {
    const ended = await tx.q
      .deleteFrom('quota_leases')
      .where('id', '=', lease.id)
      .returning('granted_units as granted')
      .executeTakeFirst()
    await returnUnits(tx, lease, ended === undefined ? flushed - spent : ended.granted - spent)
  })
}

/** Records the charged units, one statement for all. Returns the ids of the leases that still exist. */
export async function flushLeases(db: Database, leases: readonly Lease[]): Promise<ReadonlySet<string>> {
  const spent = unnest('f', {
    id: list(
      'uuid',
      leases.map((lease) => lease.id),
    ),
    spent: list(
      'bigint',
      leases.map((lease) => lease.spent),
    ),
  })
  const rows = await service.send(db, 'a process holds leases of many tenants', (q) =>
    q
      .updateTable('quota_leases')
      .from(spent)
      .set({ spent_units: (of) => of.ref('f.spent'), touched_at: sql<Date>`now()` })
      .whereRef('quota_leases.id', '=', 'f.id')
      .returning('quota_leases.id'),
  )
  return new Set(rows.map((row) => row.id))
}
