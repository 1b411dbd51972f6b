import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A tenant's own settings of a provider; a provider without a row has the defaults. */
export const ProviderSettingsEntity = defineTable({
  name: 'ProviderSettings',
  tableName: 'provider_settings',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    provider: p.text().primary(),
    enabled: p.boolean(),
    /** Place among the providers of a chain; null keeps that of the list. */
    position: p.integer().nullable(),
    /** Calls a minute; 0 for no limit. */
    rateLimitRpm: p.integer(),
    updatedAt: instant(),
  },
  facts: {
    tenant: 'row',
    namespace: { unbound: 'settings of the whole tenant; keys that are bound to namespaces do not change them' },
    merge: {
      moves: `update provider_settings s set tenant_id = $2 where tenant_id = $1 and not exists (
        select 1 from provider_settings o where o.tenant_id = $2 and o.provider = s.provider)`,
    },
    purge: 'goes',
    export: {
      section: 'provider_settings',
      key: ['provider'],
      columns: {
        tenantId: 'the document is of one tenant',
        provider: true,
        enabled: true,
        position: true,
        rateLimitRpm: true,
        updatedAt: true,
      },
    },
    sweeps: { none: 'one row for each provider of the list' },
  },
})
