import { capsOf, METERS, softCapsOf } from '../../../core/billing/meters.ts'
import { quotaOf, type QuotaTerms } from '../../../core/kernel/tenant/quota-of.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { ListMetersAnswer } from '../../../core/billing/wire/usage/meters.ts'
import { defineRoute, type BillingServices } from '../services.ts'

/** The caps that hold for a caller. */
export function capsFor({ limits }: Pick<BillingServices, 'limits'>, terms: QuotaTerms) {
  return capsOf({
    plan: terms.plan,
    quota: quotaOf(terms, limits),
    unitsPerCall: limits.quota_units_per_run,
    unitsPerEvent: limits.quota_units_per_event,
    unitsPerBuild: limits.quota_units_per_compile,
  })
}

export const listMetersRoute = defineRoute({
  method: 'get',
  path: '/v1/billing/meters',
  operationId: 'listMeters',
  group: 'billing',
  summary: 'List the meters of usage',
  description:
    'A meter has a cap only where the service enforces one. Calls, events and builds share the monthly quota; the cap of each assumes that it uses the quota alone.',
  auth: 'key',
  scope: 'billing:read',
  namespace: 'refused',
  answers: {
    200: envelope('All meters, those that plans are priced by first', ListMetersAnswer),
  },
}).handle(async ({ services, principal }) => {
  const hard = capsFor(services, principal)
  const soft = softCapsOf(hard)
  return {
    status: 200,
    body: {
      total: METERS.length,
      meters: METERS.map(({ id, label, unit, category, isBillable, counts }) => {
        const [tierSoft, tierHard] = [soft[id], hard[id]]
        return {
          id,
          label,
          unit,
          category,
          billable: isBillable,
          counts,
          ...(tierSoft !== undefined && { tier_soft: tierSoft }),
          ...(tierHard !== undefined && { tier_hard: tierHard }),
        }
      }),
      tier: principal.plan,
      billing_units: METERS.filter(({ isBillable }) => isBillable).map(({ id }) => id),
    },
  }
})
