import { sql } from 'kysely'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Database } from '../database.ts'
import { explainFailure } from '../faults/failures.ts'
import { service } from '../queries/service.ts'
import { sweepInBatches } from '../tables/sweep-in-batches.ts'

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

/** Removes counts of past windows; returns how many. Every busy tenant leaves six a minute. */
export async function collectExpiredCounts(db: Database, now: Date, signal: AbortSignal): Promise<number> {
  return await sweepInBatches(
    signal,
    async (most) =>
      await service.send(db, 'removes the counts of all tenants', (q) =>
        q
          .deleteFrom('rate_limits')
          .where('key', 'in', (of) =>
            of.selectFrom('rate_limits').select('key').where('expire', '<', now.getTime()).limit(most),
          )
          .returning(sql.lit(1).as('removed')),
      ),
  )
}

function describe(isAllowed: boolean, result: RateLimiterRes): TakenPoints {
  return { isAllowed, remaining: result.remainingPoints, resetMs: Math.max(result.msBeforeNext, 0) }
}
