import { TABLES } from '../../schema.ts'
import type { Database } from '../database.ts'
import { service } from '../queries/service.ts'
import { raw } from '../queries/typed.ts'
import { columnOf, type AnyTable, type SweepFact } from './define-table.ts'
import { sweepInBatches } from './sweep-in-batches.ts'

/** A sweep of one table. */
export interface TableSweep extends SweepFact<string> {
  readonly table: string
}

/** Every sweep, by the facts of the tables. */
export const TABLE_SWEEPS: readonly TableSweep[] = TABLES.flatMap(({ tableName: table, facts }: AnyTable) => {
  const { sweeps = [] } = facts
  return 'none' in sweeps ? [] : sweeps.map((sweep) => ({ ...sweep, table }))
})

const DAY_MS = 86_400_000

/** Returns the time whose rows a sweep of now still keeps. Throws an `Error` for a limit that does not exist. */
export function keptSince(
  { name, keptDays = 0 }: Pick<TableSweep, 'name' | 'keptDays'>,
  now: Date,
  limits: Readonly<Record<string, number>>,
): Date {
  const days = typeof keptDays === 'number' ? keptDays : limits[keptDays]
  if (days === undefined) throw new Error(`the sweep ${name} names no limit by ${keptDays}`)
  return new Date(now.getTime() - days * DAY_MS)
}

/**
 * Removes the rows whose time is at or before `before`, in batches. Returns how many. An aborted `signal` ends it between two
 * batches. Throws an `Error` for a sweep that has its own function.
 */
export async function sweepTable(
  db: Database,
  { name, table, by, only = 'true' }: TableSweep,
  before: Date,
  signal?: AbortSignal,
): Promise<number> {
  if (typeof by === 'object' && 'special' in by) throw new Error(`the sweep ${name} has a function of its own`)
  const isPast = typeof by === 'string' ? `${columnOf(by)} <= $1` : by.before
  const rows = `select ctid from ${table} where ${isPast} and ${only} limit $2`
  return await sweepInBatches(
    signal,
    async (most) =>
      await service.send(db, 'a sweep removes the rows of all tenants whose time is over', () =>
        raw(`delete from ${table} where ctid = any(array(${rows})) returning 1`, [before, most]),
      ),
  )
}
