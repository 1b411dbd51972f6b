import type { z } from 'zod'
import { serviceStats, type Recent } from '../../../db/overview/across/admin/service-stats.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { AdminGetStatsAnswer, type RecentView } from '../../../core/overview/wire/admin/stats.ts'
import { defineRoute } from '../services.ts'

function presentRecent({ total, last24h, last7d, last30d }: Recent): z.input<typeof RecentView> {
  return { total, last_24h: last24h, last_7d: last7d, last_30d: last30d }
}

export const getStatsOverviewRoute = defineRoute({
  method: 'get',
  path: '/v1/admin/stats',
  operationId: 'adminGetStats',
  group: 'admin',
  summary: 'Show totals of all tenants',
  auth: 'admin',
  scope: undefined,
  answers: {
    200: envelope('Counted when asked', AdminGetStatsAnswer),
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
