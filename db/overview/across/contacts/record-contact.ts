import { sql } from 'kysely'
import { newId } from '../../../../core/kernel/ids.ts'
import type { Limits } from '../../../../core/overview/limits.ts'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'

const WHY = 'contacts are people without a tenant'

/** The request of a visitor without an account. */
export interface NewContact {
  readonly kind: 'waitlist' | 'submission'
  readonly email: string
  readonly name?: string | undefined
  readonly note?: string | undefined
  readonly now: Date
  readonly limits: Limits
}

/**
 * Stores a contact request for the operator. A repeated request to wait keeps its first date; the answer is the same in
 * both cases, so it does not reveal who is on the list. Of more than `waitlist_kept` or `submissions_kept` requests the
 * oldest are removed: without a credential nothing else bounds their number.
 */
export async function recordContact(db: Database, input: NewContact): Promise<void> {
  const { kind, email, name = null, note = null, now, limits } = input
  const most = kind === 'waitlist' ? limits.waitlist_kept : limits.submissions_kept
  await service.send(db, WHY, (q) =>
    q
      .insertInto('contact_requests')
      .values({ id: newId('con'), kind, email: email.toLowerCase(), name, note, created_at: now })
      .onConflict((on) => on.columns(['kind', 'email']).where('kind', '=', sql.lit('waitlist')).doNothing()),
  )
  await service.send(db, WHY, (q) =>
    q
      .deleteFrom('contact_requests')
      .where('id', 'in', (of) =>
        of
          .selectFrom('contact_requests')
          .select('id')
          .where('kind', '=', kind)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .offset(most),
      ),
  )
}
