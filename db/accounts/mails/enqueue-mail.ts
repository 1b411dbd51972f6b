import { newId } from '../../../core/kernel/ids.ts'
import { Mail } from '../../../core/accounts/workflows.ts'
import { requireMailParams, type MailParams, type MailTemplate } from '../../../core/accounts/mail/templates.ts'
import type { Database } from '../../kernel/database.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import { mailScope, sealParams } from './mail-params.ts'

export type { MailTemplate } from '../../../core/accounts/mail/templates.ts'

/** A mail to somebody. */
export interface NewMail {
  readonly template: MailTemplate
  readonly to: string
  readonly tenantId: string | null
  readonly params: MailParams
  readonly now: Date
}

/**
 * Puts a mail on its way in the transaction of what it tells of: a workflow delivers it after the commit, for a day if
 * need be. Without a mail server the worker ends it as failed. Answers its id. Throws an `Error` when the template
 * needs more parameters.
 */
export async function enqueueMail(tx: Transaction, db: Database, mail: NewMail): Promise<string> {
  return await insertMail(tx, db, mail, null)
}

/**
 * Does all that `enqueueMail` does for a mail that nobody gets, since its address has no account: so the time that a
 * caller waits does not tell whether it has one.
 */
export async function pretendToEnqueue(tx: Transaction, db: Database, mail: NewMail): Promise<void> {
  await insertMail(tx, db, mail, 'no_account')
}

async function insertMail(tx: Transaction, db: Database, mail: NewMail, errorCode: string | null): Promise<string> {
  const { template, to, tenantId, params, now } = mail
  requireMailParams(template, params)
  const id = newId('mail')
  await tx.em.flush()
  await tx.q
    .insertInto('mails')
    .values({
      id,
      tenant_id: tenantId,
      recipient: to,
      template,
      sealed_params: sealParams(db, mailScope(id, tenantId), params),
      state: errorCode === null ? 'queued' : 'failed',
      attempts: 0,
      error_code: errorCode,
      created_at: now,
    })
    .execute()
  await requestStart(tx, Mail, { mailId: id, tenantId })
  return id
}
