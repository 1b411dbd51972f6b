import { sql } from 'kysely'
import { MAIL_PARAMS, type MailParams, type MailTemplate } from '../../../core/accounts/mail/templates.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { mailScope, openParams } from '../mails/mail-params.ts'

const WHY = 'a mail may belong to no tenant, and its workflow knows only its id'

/** A mail that waits to be sent. */
export interface QueuedMail {
  readonly id: string
  readonly recipient: string
  readonly template: MailTemplate
  readonly params: MailParams
}

/** Returns the mail, with this attempt counted; null when it was sent, was given up, or does not exist. */
export async function takeQueuedMail(db: Database, mailId: string): Promise<QueuedMail | null> {
  const row = await service.write(
    db,
    WHY,
    async (tx) =>
      await tx.q
        .updateTable('mails')
        .set({ attempts: sql<number>`attempts + 1` })
        .where('id', '=', mailId)
        .where('state', '=', 'queued')
        .where('sealed_params', 'is not', null)
        .returning(['tenant_id as tenantId', 'recipient', 'template', 'sealed_params as sealed'])
        .executeTakeFirst(),
  )
  if (row === undefined || row.sealed === null) return null
  const { tenantId, recipient, template, sealed } = row
  if (!isTemplate(template)) throw new Error(`no mail template ${template}`)
  return { id: mailId, recipient, template, params: openParams(db, mailScope(mailId, tenantId), sealed) }
}

/** Records that a mail was sent, and erases its content: it may hold a token. */
export async function markMailSent(
  db: Database,
  input: { readonly mailId: string; readonly now: Date },
): Promise<void> {
  await endMail(db, input.mailId, { state: 'sent', sent_at: input.now, error_code: null })
}

/** Records that a mail will not be sent, and erases its content. */
export async function markMailFailed(
  db: Database,
  input: { readonly mailId: string; readonly errorCode: string },
): Promise<void> {
  await endMail(db, input.mailId, { state: 'failed', error_code: input.errorCode })
}

async function endMail(
  db: Database,
  mailId: string,
  end:
    | { readonly state: 'sent'; readonly sent_at: Date; readonly error_code: null }
    | { readonly state: 'failed'; readonly error_code: string },
): Promise<void> {
  await service.write(db, WHY, async (tx) => {
    await tx.q
      .updateTable('mails')
      .set({ ...end, sealed_params: null })
      .where('id', '=', mailId)
      .where('state', '=', 'queued')
      .execute()
  })
}

/** Returns the parameters of an unsent mail; null when there is none. */
export async function readMailParams(db: Database, mailId: string): Promise<MailParams | null> {
  const [row] = await service.read(db, WHY, (q) =>
    q.selectFrom('mails').select(['tenant_id as tenantId', 'sealed_params as sealed']).where('id', '=', mailId),
  )
  if (row === undefined || row.sealed === null) return null
  return openParams(db, mailScope(mailId, row.tenantId), row.sealed)
}

function isTemplate(text: string): text is MailTemplate {
  return Object.hasOwn(MAIL_PARAMS, text)
}
