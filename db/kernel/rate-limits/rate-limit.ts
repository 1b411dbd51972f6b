import { p } from '@mikro-orm/core'
import { defineTable } from '../tables/define-table.ts'
import { bigCount } from '../tables/columns.ts'

/** The table of rate-limiter-flexible, in the shape that the library documents. */
export const RateLimitEntity = defineTable({
  name: 'RateLimit',
  tableName: 'rate_limits',
  properties: {
    key: p.string().length(255).primary(),
    points: p.integer().default(0),
    /** Milliseconds since 1970. */
    expire: bigCount().nullable(),
  },
  indexes: [{ properties: ['expire'] }],
  facts: {
    tenant: { shared: 'counts by address and key that end within the day' },
    sweeps: [
      {
        name: 'rateLimits',
        summary: 'Remove expired counts of rate limits',
        by: { before: 'expire < (extract(epoch from $1::timestamptz) * 1000)::bigint' },
      },
    ],
  },
})
