import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A proposed action that its tenant has hidden for a while. */
export const SnoozeEntity = defineTable({
  name: 'Snooze',
  tableName: 'snoozes',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    dismissKey: p.text().primary(),
    until: instant(),
    createdAt: instant(),
  },
  facts: {
    tenant: 'row',
    merge: { stays: 'a choice about the list of the workspace, not about its work' },
    purge: 'goes',
    export: {
      section: 'snoozes',
      key: ['dismissKey'],
      columns: {
        tenantId: 'the document is of one tenant',
        dismissKey: true,
        until: true,
        createdAt: true,
      },
    },
  },
})
