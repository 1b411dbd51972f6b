import { sql } from 'kysely'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/** Most rows that one call removes from a table. */
const BATCH = 5000
const WHY = 'a sweep removes the rows of all tenants whose time is over'

/** Removes sessions that are past their end, closed ones among them; answers how many. */
export async function collectExpiredSessions(db: Database, now: Date): Promise<number> {
  return await service.write(db, WHY, async (tx) => {
    const removed = await tx.q
      .deleteFrom('sessions')
      .where('id', 'in', (q) => q.selectFrom('sessions').select('id').where('expires_at', '<=', now).limit(BATCH))
      .executeTakeFirst()
    return Number(removed.numDeletedRows)
  })
}

/** Removes mails that were sent or given up and are older than a time; answers how many. */
export async function collectMails(db: Database, input: { readonly createdBefore: Date }): Promise<number> {
  return await service.write(db, WHY, async (tx) => {
    const removed = await tx.q
      .deleteFrom('mails')
      .where('id', 'in', (q) =>
        q
          .selectFrom('mails')
          .select('id')
          .where('state', '!=', 'queued')
          .where('created_at', '<', input.createdBefore)
          .orderBy('created_at')
          .limit(BATCH),
      )
      .executeTakeFirst()
    return Number(removed.numDeletedRows)
  })
}

/** Removes tokens whose time was over before a time; answers how many. */
export async function collectMailTokens(db: Database, input: { readonly expiredBefore: Date }): Promise<number> {
  return await service.write(db, WHY, async (tx) => {
    const removed = await tx.q
      .deleteFrom('mail_tokens')
      .where('token_hash', 'in', (q) =>
        q
          .selectFrom('mail_tokens')
          .select('token_hash')
          .where('expires_at', '<', input.expiredBefore)
          .orderBy('expires_at')
          .limit(BATCH),
      )
      .executeTakeFirst()
    return Number(removed.numDeletedRows)
  })
}

/** Removes what has expired: sign-ins that never came back, and assertions that can no longer be sent again. */
export async function collectExpiredLogins(db: Database, now: Date): Promise<number> {
  return await service.write(db, WHY, async (tx) => {
    const attempts = await tx.q
      .deleteFrom('login_attempts')
      .where('id', 'in', (q) => q.selectFrom('login_attempts').select('id').where('expires_at', '<=', now).limit(BATCH))
      .executeTakeFirst()
    const assertions = await tx.q
      .deleteFrom('consumed_assertions')
      .where(sql.ref<string>('ctid'), 'in', (q) =>
        q
          .selectFrom('consumed_assertions')
          .select(sql.ref<string>('ctid').as('ctid'))
          .where('expires_at', '<=', now)
          .limit(BATCH),
      )
      .executeTakeFirst()
    return Number(attempts.numDeletedRows) + Number(assertions.numDeletedRows)
  })
}
