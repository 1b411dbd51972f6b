import type { MailParams } from '../../../core/accounts/mail/templates.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { readMailParams } from '../../../db/accounts/across/deliver.ts'
import { sendSql } from '../db/send-sql.ts'

/** A mail that waits for a worker, or is over. */
export interface StoredMail {
  readonly id: string
  readonly template: string
  readonly state: string
  readonly errorCode: string | null
  readonly params: MailParams
}

/** The mails to an address, oldest first. */
export async function mailsTo(db: Database, address: string): Promise<readonly StoredMail[]> {
  const rows = await sendSql<Omit<StoredMail, 'params'>>(
    db,
    `select id, template, state, error_code as "errorCode" from mails where recipient = $1 order by created_at, id`,
    [address],
  )
  return await Promise.all(rows.map(async (row) => ({ ...row, params: (await readMailParams(db, row.id)) ?? {} })))
}

/** The token in the link of the newest mail of a template that is on its way to an address. */
export async function mailedToken(db: Database, address: string, template: string): Promise<string> {
  const mails = await mailsTo(db, address)
  const mail = mails.findLast((candidate) => candidate.template === template && candidate.state === 'queued')
  const token = mail?.params['link']?.split('#confirm=')[1]
  if (token === undefined) throw new Error(`no mail ${template} is on its way to ${address}`)
  return token
}
