import { sql } from 'kysely'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import type { Queries, Statement } from '../../kernel/queries/typed.ts'
import { sweepInBatches } from '../../kernel/tables/sweep-in-batches.ts'

const REMOVED = sql.lit(1).as('removed')

/** Repeats a deletion of at most so many rows until it finds fewer; returns the number of rows. */
async function removeAll(
  db: Database,
  signal: AbortSignal | undefined,
  build: (q: Queries, most: number) => Statement<object>,
): Promise<number> {
  return await sweepInBatches(
    signal,
    async (most) =>
      await service.send(db, 'a sweep removes the rows of all tenants whose time is over', (q) => build(q, most)),
  )
}

/** Removes sessions that are past their end, including closed ones; returns how many. */
export async function collectExpiredSessions(db: Database, now: Date, signal?: AbortSignal): Promise<number> {
  return await removeAll(db, signal, (q, most) =>
    q
      .deleteFrom('sessions')
      .where('id', 'in', (of) => of.selectFrom('sessions').select('id').where('expires_at', '<=', now).limit(most))
      .returning(REMOVED),
  )
}

/** Removes mails that were sent or given up and are older than a time; returns how many. */
export async function collectMails(
  db: Database,
  input: { readonly createdBefore: Date },
  signal?: AbortSignal,
): Promise<number> {
  return await removeAll(db, signal, (q, most) =>
    q
      .deleteFrom('mails')
      .where('id', 'in', (of) =>
        of
          .selectFrom('mails')
          .select('id')
          .where('state', '!=', 'queued')
          .where('created_at', '<', input.createdBefore)
          .orderBy('created_at')
          .limit(most),
      )
      .returning(REMOVED),
  )
}

/** Removes tokens that expired before a time; returns how many. */
export async function collectMailTokens(
  db: Database,
  input: { readonly expiredBefore: Date },
  signal?: AbortSignal,
): Promise<number> {
  return await removeAll(db, signal, (q, most) =>
    q
      .deleteFrom('mail_tokens')
      .where('token_hash', 'in', (of) =>
        of
          .selectFrom('mail_tokens')
          .select('token_hash')
          .where('expires_at', '<', input.expiredBefore)
          .orderBy('expires_at')
          .limit(most),
      )
      .returning(REMOVED),
  )
}

/** Removes expired sign-ins that never completed, and assertions too old to be replayed. */
export async function collectExpiredLogins(db: Database, now: Date, signal?: AbortSignal): Promise<number> {
  const attempts = await removeAll(db, signal, (q, most) =>
    q
      .deleteFrom('login_attempts')
      .where('id', 'in', (of) =>
        of.selectFrom('login_attempts').select('id').where('expires_at', '<=', now).limit(most),
      )
      .returning(REMOVED),
  )
  const assertions = await removeAll(db, signal, (q, most) =>
    q
      .deleteFrom('consumed_assertions')
      .where(sql.ref<string>('ctid'), 'in', (of) =>
        of
          .selectFrom('consumed_assertions')
          .select(sql.ref<string>('ctid').as('ctid'))
          .where('expires_at', '<=', now)
          .limit(most),
      )
      .returning(REMOVED),
  )
  return attempts + assertions
}
