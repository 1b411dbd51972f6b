import type { Mailer } from '../../../core/accounts/mail/mailer.ts'
import type { Database } from '../../../db/kernel/database.ts'
import type { ActivityLog } from '../../kernel/activity-log.ts'

/** What the delivery of mails works with. */
export interface MailDeps {
  readonly db: Database
  /** Null when the operator named no mail server. */
  readonly mailer: Mailer | null
  /** The address of the service; its host stands in the ids of mails. */
  readonly publicUrl: string | undefined
  readonly log: ActivityLog
  readonly now: () => Date
}
