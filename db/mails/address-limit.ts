import { createHash } from 'node:crypto'
import type { Limits } from '../../core/tenancy/limits.ts'
import type { Database } from '../database.ts'
import { createRateLimiter } from '../rate-limits/rate-limiter.ts'

const HOUR_S = 3600

/** Counts one mail that a stranger asked for to this address; false when it got too many within the hour. */
export async function takeMailToAddress(db: Database, email: string, limits: Limits): Promise<boolean> {
  const points = limits.mails_per_address_hour
  const limiter = createRateLimiter(db, { name: 'mail-address', points, durationS: HOUR_S })
  // The table of counts holds no addresses.
  const { isAllowed } = await limiter.take(createHash('sha256').update(email).digest('base64url'))
  return isAllowed
}
