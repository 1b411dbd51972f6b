import type { Database } from '../../db/kernel/database.ts'
import type { TemporalClient } from '../../temporal/client.ts'
import type { ActivityLog } from './activity-log.ts'

/** What starting a workflow needs. */
export interface StartDeps {
  readonly db: Database
  readonly temporal: TemporalClient
  readonly log: ActivityLog
}
