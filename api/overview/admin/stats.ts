import { z } from 'zod'
import { JOB_STATUSES } from '../../../core/compile/task.ts'
import { PLAN_IDS } from '../../../core/kernel/tenant/plans.ts'
import { serviceStats, type Recent } from '../../../db/overview/across/admin/service-stats.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

const RecentView = z.object({ total: z.int(), last_24h: z.int(), last_7d: z.int(), last_30d: z.int() })

function presentRecent({ total, last24h, last7d, last30d }: Recent): z.input<typeof RecentView> {
  return { total, last_24h: last24h, last_7d: last7d, last_30d: last30d }
}

export const getStatsOverviewRoute = defineRoute({
  method: 'get',
  path: '/v1/admin/stats',
  operationId: 'adminGetStats',
  group: 'admin',
  summary: 'Totals over all tenants',
  auth: 'admin',
  scope: undefined,
  answers: {
    200: envelope(
      'Counted when asked',
      z.object({
        tenants: z.object({
          total: z.int(),
          anonymous: z.int().meta({ description: 'Workspaces that nobody has claimed' }),
          plan_dist: z.record(z.enum(PLAN_IDS), z.int()),
          signups_24h: z.int(),
          signups_7d: z.int(),
          signups_30d: z.int(),
        }),
        usage: z.object({ period: z.string(), total_used: z.int(), total_quota: z.int() }),
        compile: RecentView.extend({ by_status: z.partialRecord(z.enum(JOB_STATUSES), z.int()) }),
        audit: RecentView,
        generated_at: z.iso.datetime(),
      }),
    ),
  },
}).handle(async ({ op, services }) => {
  const { tenants, usage, compiles, audit } = await serviceStats(op, services.limits)
  return {
    status: 200,
    body: {
      tenants: {
        total: tenants.total,
        anonymous: tenants.anonymous,
        plan_dist: { ...tenants.byPlan },
        signups_24h: tenants.last24h,
        signups_7d: tenants.last7d,
        signups_30d: tenants.last30d,
      },
      usage: { period: usage.period, total_used: usage.used, total_quota: usage.quota },
      compile: { ...presentRecent(compiles), by_status: { ...compiles.byStatus } },
      audit: presentRecent(audit),
      generated_at: services.now().toISOString(),
    },
  }
})
