import { defineEntity, p } from '@mikro-orm/core'
import { bigCount } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** What was used in one day (UTC), by unit, namespace, team and member. */
export const UsageDayEntity = defineEntity({
  name: 'UsageDay',
  tableName: 'usage_days',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    /** `YYYY-MM-DD`. */
    day: p.text().primary(),
    unit: p.text().primary(),
    namespace: p.text().primary(),
    /** Empty when no team is named: part of the key, which has no nulls. The row outlives the team. */
    teamId: p.text().primary(),
    /** Empty when no member is named. */
    memberId: p.text().primary(),
    quantity: bigCount(),
    costUsdMicros: bigCount(),
    latencySumUs: bigCount(),
  },
  indexes: [{ properties: ['tenantId', 'teamId', 'day'] }],
})
