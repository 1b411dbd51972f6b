import { sql } from 'kysely'
import { newId } from '../../../../core/kernel/ids.ts'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'

const WHY = 'contacts are people who are no tenants yet'

/** What somebody without an account left. */
export interface NewContact {
  readonly kind: 'waitlist' | 'submission'
  readonly email: string
  readonly name?: string | undefined
  readonly note?: string | undefined
  readonly now: Date
}

/**
 * Keeps what somebody left for those who run the service. Who waits already goes on waiting from when they came first;
 * the answer is the same in both cases, so it does not show who is on the list.
 */
export async function recordContact(db: Database, input: NewContact): Promise<void> {
  const { kind, email, name = null, note = null, now } = input
  await service.send(db, WHY, (q) =>
    q
      .insertInto('contact_requests')
      .values({ id: newId('con'), kind, email: email.toLowerCase(), name, note, created_at: now })
      .onConflict((on) => on.columns(['kind', 'email']).where('kind', '=', sql.lit('waitlist')).doNothing()),
  )
}
