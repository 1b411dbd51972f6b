import { sql } from 'kysely'
import { firstTimedId } from '../../../core/kernel/ids.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { raw } from '../../kernel/queries/typed.ts'
import { lockInTransaction, shareInTransaction, type Transaction } from '../../kernel/transaction.ts'

/** The tables that are partitioned by month; their partitions are in a schema of their own. */
export const TABLES = ['captures', 'capture_contents', 'capture_texts'] as const
export const SCHEMA = 'svc_months'
/** Months that have their partitions ahead of time, with this one. */
const MONTHS = 3
const LOCK = 'partitions of captures'
/** Time in which a partition waits for others that use its table: calls are captured meanwhile, and the next tick tries again. */
export const LOCK_MS = 2000

/** Keeps others that make or remove months, and those that erase contents, out until the commit. */
export async function enterMonths(tx: Transaction): Promise<void> {
  await lockInTransaction(tx, LOCK)
}

/** Keeps months from being made or removed until the commit. Call it before the first read of captures. */
export async function enterBesideMonths(tx: Transaction): Promise<void> {
  await shareInTransaction(tx, LOCK)
}

/** Makes the partitions of this month and the next two. Returns how many were missing. */
export async function makeMonths(db: Database, now: Date): Promise<number> {
  let made = 0
  for (let ahead = 0; ahead < MONTHS; ahead++) {
    const from = monthOf(now, ahead)
    for (const table of TABLES) {
      if (await isThere(db, `${table}_${nameOf(from)}`)) continue
      await makePartition(db, table, from, monthOf(now, ahead + 1))
      made++
    }
  }
  return made
}

/**
 * Makes a partition and moves the rows into it that the default one took in its place. Both happen in one transaction, so
 * that every row is in the table at any time.
 */
async function makePartition(db: Database, table: (typeof TABLES)[number], from: Date, to: Date): Promise<void> {
  const name = `${SCHEMA}."${table}_${nameOf(from)}"`
  const other = `${SCHEMA}."${table}_other"`
  const [first, end] = [firstTimedId('cap', from), firstTimedId('cap', to)]
  await service.write(db, 'partitions belong to no tenant', async (tx) => {
    await enterMonths(tx)
    const steps = [
      `set local lock_timeout = ${LOCK_MS}`,
      `create table if not exists ${name} (like ${table} including defaults including constraints including storage)`,
      `lock table ${other} in access exclusive mode`,
      `with moved as (delete from ${other} where id >= '${first}' and id < '${end}' returning *) insert into ${name} select * from moved`,
      `alter table ${table} attach partition ${name} for values from ('${first}') to ('${end}')`,
    ]
    for (const step of steps) await tx.send(raw(step))
  })
}

async function isThere(db: Database, partition: string): Promise<boolean> {
  const [row] = await service.read(db, 'partitions belong to no tenant', (q) =>
    q.selectNoFrom(
      sql<boolean>`coalesce((select relispartition from pg_class where oid = to_regclass(${`${SCHEMA}."${partition}"`})), false)`.as(
        'isThere',
      ),
    ),
  )
  return row?.isThere === true
}

/** The beginning of a month, UTC, some months after that of a time. */
export function monthOf(time: Date, ahead: number): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + ahead))
}

export function nameOf(month: Date): string {
  return month.toISOString().slice(0, 7).replace('-', '_')
}
