import type { Database } from '../../kernel/database.ts'

const BATCH = 5000

/** Removes mails that are over and older than a time; answers how many. */
export async function collectMails(db: Database, input: { readonly createdBefore: Date }): Promise<number> {
  const removed = await db.query(
    `delete from mails where id in (
       select id from mails where state <> 'queued' and created_at < $1 order by created_at limit ${BATCH}
     ) returning 1`,
    [input.createdBefore],
  )
  return removed.length
}

/** Removes tokens whose time was over before a time; answers how many. */
export async function collectMailTokens(db: Database, input: { readonly expiredBefore: Date }): Promise<number> {
  const removed = await db.query(
    `delete from mail_tokens where token_hash in (
       select token_hash from mail_tokens where expires_at < $1 order by expires_at limit ${BATCH}
     ) returning 1`,
    [input.expiredBefore],
  )
  return removed.length
}
