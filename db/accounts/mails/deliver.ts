import { MAIL_PARAMS, type MailParams, type MailTemplate } from '../../../core/accounts/mail/templates.ts'
import type { Database } from '../../kernel/database.ts'
import { mailScope, openParams } from './mail-params.ts'

/** A mail that waits to be sent. */
export interface QueuedMail {
  readonly id: string
  readonly recipient: string
  readonly template: MailTemplate
  readonly params: MailParams
}

/** The mail, with this attempt counted; null when it was sent, given up, or never was. */
export async function takeQueuedMail(db: Database, mailId: string): Promise<QueuedMail | null> {
  const [row] = await db.query<{ tenantId: string | null; recipient: string; template: string; sealed: Uint8Array }>(
    `update mails set attempts = attempts + 1 where id = $1 and state = 'queued' and sealed_params is not null
     returning tenant_id as "tenantId", recipient, template, sealed_params as sealed`,
    [mailId],
  )
  if (row === undefined) return null
  const { tenantId, recipient, template, sealed } = row
  if (!isTemplate(template)) throw new Error(`no mail template ${template}`)
  return { id: mailId, recipient, template, params: openParams(db, mailScope(mailId, tenantId), sealed) }
}

/** Notes that a mail left. What stood in it is forgotten: it may hold a token. */
export async function markMailSent(
  db: Database,
  input: { readonly mailId: string; readonly now: Date },
): Promise<void> {
  await db.query(
    `update mails set state = 'sent', sent_at = $2, sealed_params = null, error_code = null
     where id = $1 and state = 'queued'`,
    [input.mailId, input.now],
  )
}

/** Notes that a mail will not be sent, and forgets what stood in it. */
export async function markMailFailed(
  db: Database,
  input: { readonly mailId: string; readonly errorCode: string },
): Promise<void> {
  await db.query(
    `update mails set state = 'failed', error_code = $2, sealed_params = null where id = $1 and state = 'queued'`,
    [input.mailId, input.errorCode],
  )
}

function isTemplate(text: string): text is MailTemplate {
  return Object.hasOwn(MAIL_PARAMS, text)
}
