import { LRUCache } from 'lru-cache'
import { boundedBy } from '../../../core/kernel/storage/cache-entries.ts'
import type { Database } from '../../kernel/database.ts'
import { createRateLimiter, type RateLimiter, type TakenPoints } from '../../kernel/rate-limits/rate-limiter.ts'

/** Calls of tenants at providers, counted for all processes where a tenant set a limit. */
export interface ProviderRates {
  /** Takes one call of the tenant's minute. */
  take(tenantId: string, provider: string, rpm: number): Promise<TakenPoints>
}

/** Different limits that are in use at once; more of them are opened again. */
const MOST_LIMITS = 500

/** Opens the counts. */
export function createProviderRates(db: Database): ProviderRates {
  const limiters = new LRUCache<number, RateLimiter>(boundedBy(MOST_LIMITS))
  const limiterOf = (rpm: number): RateLimiter => {
    const known = limiters.get(rpm)
    if (known) return known
    const made = createRateLimiter(db, { name: 'provider', points: rpm, durationS: 60 })
    limiters.set(rpm, made)
    return made
  }
  return { take: async (tenantId, provider, rpm) => await limiterOf(rpm).take(`${tenantId}:${provider}`) }
}
