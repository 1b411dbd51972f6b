import type { Database } from '../../../db/kernel/database.ts'
import { readMailParams } from '../../../db/accounts/across/deliver.ts'
import { sendSql } from '../db/send-sql.ts'

/** The token in the newest mail with an invitation to this address. */
export async function mailedInvitation(db: Database, email: string): Promise<string> {
  const [mail] = await sendSql<{ id: string }>(
    db,
    `select id from mails where recipient = $1 and template = 'invitation' order by created_at desc, id limit 1`,
    [email],
  )
  const params = mail && (await readMailParams(db, mail.id))
  const token = /#invitation=([\w-]+)$/.exec(params?.['link'] ?? '')?.[1]
  if (token === undefined) throw new Error(`no invitation was mailed to ${email}`)
  return token
}
