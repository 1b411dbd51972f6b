import { DomainError, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { LimitName, Limits } from '../../../core/limits.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { createRateLimiter, type RateLimiter } from '../../../db/kernel/rate-limits/rate-limiter.ts'
import { createKeptBytes, type KeptBytes } from './kept-bytes.ts'
import { createProcessLimiter } from './process-limiter.ts'

/** The rate at which one caller may use a route. */
export interface RateLimitRule<Name extends LimitName = LimitName> {
  /** Routes with the same name share one count. */
  readonly name: string
  readonly limit: Name
  readonly windowS: number
  /** Every call counts, refused ones too: what a refusal tells must not be had for nothing. */
  readonly counts: 'calls'
  /** True for one that is counted by each process for itself: it protects that process. */
  readonly isOfProcess?: boolean
}

/** The limits of all routes, counted per address: in the database, so that all processes share them, or per process. */
export interface RateLimits {
  /**
   * Takes a point; answers the standard headers that tell the caller where it stands. Throws `rate_limited` with the wait
   * when none is left.
   */
  take(rule: RateLimitRule, ip: string): Promise<Readonly<Record<string, string>>>
  /** Of the answers that are kept for tenants, per process. */
  readonly keptBytes: KeptBytes
}

/** Opens the limits. */
export function createRateLimits(db: Database, limits: Limits): RateLimits {
  const limiters = new Map<string, RateLimiter>()
  const limiterOf = (rule: RateLimitRule): RateLimiter => {
    const known = limiters.get(rule.name)
    if (known) return known
    const bounds = { points: limits[rule.limit], durationS: rule.windowS }
    const made = rule.isOfProcess ? createProcessLimiter(bounds) : createRateLimiter(db, { name: rule.name, ...bounds })
    limiters.set(rule.name, made)
    return made
  }
  return {
    keptBytes: createKeptBytes(limits),
    async take(rule, ip) {
      const limiter = limiterOf(rule)
      const taken = await limiter.take(ip)
      const resetS = Math.max(1, Math.ceil(taken.resetMs / 1000))
      const headers = rateLimitHeaders(limits[rule.limit], taken.remaining, resetS, rule.windowS)
      if (!taken.isAllowed) throw new RateLimitedError(headers, resetS)
      return headers
    },
  }
}

/** `rate_limited`, with the headers that its answer carries. */
export class RateLimitedError extends DomainError {
  readonly headers: Readonly<Record<string, string>>

  constructor(headers: Readonly<Record<string, string>>, retryAfterS: number, what = 'calls') {
    super(KERNEL_ERRORS.rate_limited, `too many ${what}; try again in ${retryAfterS} s`, { retryAfterS })
    this.headers = headers
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-06. */
export function rateLimitHeaders(
  limit: number,
  remaining: number,
  resetS: number,
  windowS: number,
): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(Math.max(0, remaining)),
    'RateLimit-Reset': String(resetS),
    'RateLimit-Policy': `${limit};w=${windowS}`,
  }
}
