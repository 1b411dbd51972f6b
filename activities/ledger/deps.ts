import type { Limits } from '../../core/tenancy/limits.ts'
import type { Database } from '../../db/database.ts'
import type { ActivityLog } from '../activity-log.ts'

/** What the chores of the ledgers work with. */
export interface LedgerDeps {
  readonly db: Database
  readonly limits: Limits
  readonly log: ActivityLog
  readonly now: () => Date
}
