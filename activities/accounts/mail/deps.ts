import type { Mailer } from '../../../core/accounts/mail/mailer.ts'
import type { Database } from '../../../db/kernel/database.ts'
import type { ActivityLog } from '../../kernel/activity-log.ts'

/** Dependencies of mail delivery. */
export interface MailDeps {
  readonly db: Database
  /** Null when the operator configured no mail server. */
  readonly mailer: Mailer | null
  /** The address of the service; its host is part of each mail's id. */
  readonly publicUrl: string | undefined
  readonly log: ActivityLog
  readonly now: () => Date
}
