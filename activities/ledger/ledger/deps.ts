import type { Limits } from '../../../core/ledger/limits.ts'
import type { Database } from '../../../db/kernel/database.ts'
import type { ActivityLog } from '../../kernel/activity-log.ts'

/** Dependencies of the ledger chores. */
export interface LedgerDeps {
  readonly db: Database
  readonly limits: Limits
  readonly log: ActivityLog
  readonly now: () => Date
}
