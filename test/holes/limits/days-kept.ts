import { DEFAULT_LIMITS, type LimitName } from '../../../core/limits.ts'
import { TABLE_SWEEPS } from '../../../db/kernel/tables/sweeps.ts'

/** A sweep of housekeeping whose days are a limit. */
export interface LimitedSweep {
  readonly name: string
  readonly table: string
  readonly limit: LimitName
}

const isLimit = (name: unknown): name is LimitName => typeof name === 'string' && name in DEFAULT_LIMITS

/** Those sweeps, by the facts of the tables: a new one is moved by `days-kept.test.ts` without another line. */
export const LIMITED_SWEEPS: readonly LimitedSweep[] = TABLE_SWEEPS.flatMap(({ name, table, keptDays }) =>
  isLimit(keptDays) ? [{ name, table, limit: keptDays }] : [],
)
