import { defineEntity, p } from '@mikro-orm/core'
import { instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A proposed action that its tenant does not want to see for a while. */
export const SnoozeEntity = defineEntity({
  name: 'Snooze',
  tableName: 'snoozes',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    dismissKey: p.text().primary(),
    until: instant(),
    createdAt: instant(),
  },
})
