import { newId } from '../../../core/kernel/ids.ts'
import type { Database } from '../../kernel/database.ts'

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
 * the caller is not told the difference, so nobody learns who is on the list.
 */
export async function recordContact(db: Database, input: NewContact): Promise<void> {
  await db.query(
    `insert into contact_requests (id, kind, email, name, note, created_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (kind, email) where kind = 'waitlist' do nothing`,
    [newId('con'), input.kind, input.email.toLowerCase(), input.name ?? null, input.note ?? null, input.now],
  )
}
