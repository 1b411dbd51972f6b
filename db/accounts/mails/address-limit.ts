import { createHash } from 'node:crypto'
import type { Limits } from '../../../core/accounts/limits.ts'
import type { Database } from '../../kernel/database.ts'
import { createRateLimiter, type TakenPoints } from '../../kernel/rate-limits/rate-limiter.ts'

const HOUR_S = 3600

/**
 * What a stranger can have mailed to an address: a link or a code that lets in, what an account tells that was made with
 * the address and that nobody has verified, or that somebody signed up with it.
 */
export type MailToAddress = 'way_in' | 'notice' | 'sign_up'

/**
 * Counts one mail that a stranger asked for to this address; not allowed when it got too many of the kind within the
 * hour, from wherever they were asked for.
 */
export async function takeMailToAddress(
  db: Database,
  input: { readonly kind: MailToAddress; readonly email: string; readonly limits: Limits },
): Promise<TakenPoints> {
  const { kind, email, limits } = input
  const limiter = createRateLimiter(db, {
    name: `mail-${kind}`,
    points: limits.mails_per_address_hour,
    durationS: HOUR_S,
  })
  // The table of counts holds no addresses.
  return await limiter.take(createHash('sha256').update(email).digest('base64url'))
}
