import type { Database } from '../../db/kernel/database.ts'
import type { TemporalClient } from '../../temporal/client.ts'
import type { ActivityLog } from './activity-log.ts'

/** Dependencies of every activity. */
export interface ActivityDeps {
  readonly db: Database
  readonly temporal: TemporalClient
  readonly log: ActivityLog
}
