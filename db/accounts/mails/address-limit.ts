import { createHash } from 'node:crypto'
import type { Limits } from '../../../core/accounts/limits.ts'
import type { Database } from '../../kernel/database.ts'
import { createRateLimiter, type TakenPoints } from '../../kernel/rate-limits/rate-limiter.ts'

const HOUR_S = 3600

/**
 * Kinds of mail that a stranger can cause: a sign-in link or code, a notice from an account with an unverified address,
 * or a notice of a sign-up with the address.
 */
export type MailToAddress = 'way_in' | 'notice' | 'sign_up'

/**
 * Counts one mail that a stranger requested for this address; not allowed when the address got too many of the kind
 * within the hour, from any origin.
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
