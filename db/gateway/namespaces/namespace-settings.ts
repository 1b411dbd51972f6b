import { p } from '@mikro-orm/core'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { document, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** The settings of a namespace for calls of models. */
export const NamespaceSettingsEntity = defineTable({
  name: 'NamespaceSettings',
  tableName: 'namespace_settings',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    namespace: p.text().primary(),
    settings: document<JsonObject>(),
    updatedAt: instant(),
  },
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: {
      moves: `update namespace_settings n set tenant_id = $2 where tenant_id = $1 and not exists (
        select 1 from namespace_settings o where o.tenant_id = $2 and o.namespace = n.namespace)`,
    },
    purge: 'goes',
    export: {
      section: 'namespace_settings',
      key: ['namespace'],
      columns: {
        tenantId: 'the document is of one tenant',
        namespace: true,
        settings: true,
        updatedAt: true,
      },
    },
    sweeps: { none: 'bounded by gateway_namespaces_per_tenant' },
  },
})
