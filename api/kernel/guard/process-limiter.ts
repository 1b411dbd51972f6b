import { LRUCache } from 'lru-cache'
import { boundedBy } from '../../../core/kernel/storage/cache-entries.ts'
import type { RateLimiter } from '../../../db/kernel/rate-limits/rate-limiter.ts'

/** Addresses that are counted at once; of more, those that called last. */
const MOST_NAMES = 50_000

/** Counts points in this process alone: `points` per `durationS` seconds and name. */
export function createProcessLimiter(options: { readonly points: number; readonly durationS: number }): RateLimiter {
  const windowMs = options.durationS * 1000
  const counts = new LRUCache<string, { readonly endsAt: number; points: number }>(boundedBy(MOST_NAMES))
  return {
    async take(name, points = 1) {
      const now = performance.now()
      const known = counts.get(name)
      const count = known !== undefined && known.endsAt > now ? known : { endsAt: now + windowMs, points: 0 }
      count.points += points
      if (count !== known) counts.set(name, count)
      return {
        isAllowed: count.points <= options.points,
        remaining: Math.max(0, options.points - count.points),
        resetMs: count.endsAt - now,
      }
    },
    async refund(name, points = 1) {
      const count = counts.get(name)
      if (count) count.points = Math.max(0, count.points - points)
    },
  }
}
