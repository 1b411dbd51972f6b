import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Database } from '../database.ts'
import { explainFailure } from '../faults/failures.ts'

/** A count of points per name, shared by all processes. */
export interface RateLimiter {
  /** Takes points; refused ones are counted too, so that repeated attempts do not help. */
  take(name: string, points?: number): Promise<TakenPoints>
  /** Gives points back. */
  refund(name: string, points?: number): Promise<void>
}

/** Result of a rate limit check. */
export interface TakenPoints {
  readonly isAllowed: boolean
  readonly remaining: number
  /** Milliseconds until the next window. */
  readonly resetMs: number
}

/** Opens a limiter: `points` per `durationS` seconds and name. Two limiters of one name share their counts. */
export function createRateLimiter(
  db: Database,
  options: { readonly name: string; readonly points: number; readonly durationS: number },
): RateLimiter {
  const limiter = new RateLimiterPostgres({
    storeClient: db.pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: options.name,
    points: options.points,
    duration: options.durationS,
    clearExpiredByTimeout: false,
  })
  return {
    async take(name, points = 1) {
      try {
        return describe(true, await limiter.consume(name, points))
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return describe(false, refused)
        throw explainFailure(refused)
      }
    },
    async refund(name, points = 1) {
      try {
        await limiter.reward(name, points)
      } catch (error) {
        throw explainFailure(error)
      }
    },
  }
}

function describe(isAllowed: boolean, result: RateLimiterRes): TakenPoints {
  return { isAllowed, remaining: result.remainingPoints, resetMs: Math.max(result.msBeforeNext, 0) }
}
