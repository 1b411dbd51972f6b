import { z } from 'zod'
import { METERS, softCapsOf, type MeterCaps } from '../../../core/billing/meters.ts'
import { resetsAt } from '../../../core/kernel/tenant/quota-month.ts'
import { periodOf } from '../../../db/billing/quota/period.ts'
import { quotaOf } from '../../../core/kernel/tenant/quota-of.ts'
import { periodUsage, type PeriodUsage } from '../../../db/billing/usage/period-usage.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { capsFor } from './meters.ts'
import { Period } from './period.ts'
import { GetUsageAnswer } from '../../../core/billing/wire/usage/usage.ts'
import { defineRoute } from '../services.ts'

export const getUsageRoute = defineRoute({
  method: 'get',
  path: '/v1/billing/usage',
  operationId: 'getUsage',
  group: 'billing',
  summary: 'Show the usage of a month',
  description:
    'Calls of the last second may be missing. `days` says on which day units were charged; `used` includes the reservations of compiles that have not ended.',
  auth: 'key',
  scope: 'billing:read',
  namespace: 'refused',
  query: z.object({ period: Period }),
  fieldCodes: { period: 'invalid_period' },
  answers: {
    200: envelope('Amounts by meter, against the caps of the plan', GetUsageAnswer),
  },
  errors: ['invalid_period'],
}).handle(async ({ services, op, principal, query }) => {
  const now = op.now()
  const usage = await periodUsage(op, query.period ?? periodOf(now), services.meterCounts)
  const hard = capsFor(services, principal)
  const soft = softCapsOf(hard)
  return {
    status: 200,
    body: {
      tenant_id: principal.tenantId,
      plan: principal.plan,
      tier: principal.plan,
      period: usage.period,
      meters: metersOf(usage),
      limits: { ...hard },
      soft_limits: { ...soft },
      over_soft: over(usage, soft),
      over_hard: over(usage, hard),
      quota: quotaOf(principal, services.limits),
      used: usage.used,
      resets_at: resetsAt(now).toISOString(),
      days: [...usage.days],
    },
  }
})

/** Presents every meter for the month; meters of work that the service does not offer yet show 0. */
function metersOf({ meters }: PeriodUsage): Record<string, number> {
  return Object.fromEntries(
    METERS.flatMap(({ id, counts }) => {
      const amount = counts === 'none' ? 0 : meters[id]
      return amount === undefined ? [] : [[id, amount]]
    }),
  )
}

function over({ meters }: PeriodUsage, caps: MeterCaps): string[] {
  return METERS.filter(({ id }) => {
    const [amount, cap] = [meters[id], caps[id]]
    return amount !== undefined && cap !== undefined && amount >= cap && amount > 0
  }).map(({ id }) => id)
}
