import { z } from 'zod'
import { PLAN_IDS } from '../../../kernel/tenant/plans.ts'
import { JOB_STATUSES } from '../../../compile/rows/task.ts'

/** A count, and how much of it is recent. */
export const RecentView = z.object({ total: z.int(), last_24h: z.int(), last_7d: z.int(), last_30d: z.int() })

/** Answer of `GET /v1/admin/stats`. */
export const AdminGetStatsAnswer = z.object({
  tenants: z.object({
    total: z.int(),
    anonymous: z.int().meta({ description: 'Unclaimed workspaces' }),
    plan_dist: z.record(z.enum(PLAN_IDS), z.int()),
    signups_24h: z.int(),
    signups_7d: z.int(),
    signups_30d: z.int(),
  }),
  usage: z.object({ period: z.string(), total_used: z.int(), total_quota: z.int() }),
  compile: RecentView.extend({ by_status: z.partialRecord(z.enum(JOB_STATUSES), z.int()) }),
  audit: RecentView,
  generated_at: z.iso.datetime(),
})
