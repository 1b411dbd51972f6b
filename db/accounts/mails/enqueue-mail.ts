import { newId } from '../../../core/kernel/ids.ts'
import { Mail } from '../../../core/accounts/workflows.ts'
import { requireMailParams, type MailParams, type MailTemplate } from '../../../core/accounts/mail/templates.ts'
import type { Database } from '../../kernel/database.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import { mailScope, sealParams } from './mail-params.ts'

export type { MailTemplate } from '../../../core/accounts/mail/templates.ts'

/** A mail to one address. */
export interface NewMail {
  readonly template: MailTemplate
  readonly to: string
  readonly tenantId: string | null
  readonly params: MailParams
  readonly now: Date
}

/**
 * Enqueues a mail in the transaction that causes it: a workflow delivers it after the commit, retrying for a day.
 * Without a mail server the worker ends it as failed. Returns its id. Throws an `Error` when the template needs more
 * parameters.
 */
export async function enqueueMail(tx: Transaction, db: Database, mail: NewMail): Promise<string> {
  return await insertMail(tx, db, mail, null)
}

/**
 * Does the same work as `enqueueMail` without a recipient, for an address without an account: so the duration of a call
 * does not reveal whether it has one.
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
