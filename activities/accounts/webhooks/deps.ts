import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Database } from '../../../db/kernel/database.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { ActivityLog } from '../../kernel/activity-log.ts'

/** Reads the data of a message as it is now; null when there is nothing to report any more. */
export type WebhookData = (op: Operation, subjectId: string) => Promise<JsonObject | null>

/** Dependencies of the deliveries to hooks. */
export interface WebhookDeps {
  readonly db: Database
  /** The data of each kind of message. Later areas own it, so it is a port. */
  readonly webhookData: Readonly<Record<string, WebhookData>>
  /** True where the operator permits calls to private addresses. */
  readonly allowsPrivateEgress: boolean
  readonly log: ActivityLog
  readonly now: () => Date
}
