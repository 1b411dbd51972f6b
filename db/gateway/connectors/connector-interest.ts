import { p } from '@mikro-orm/core'
import { instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** The wish of a tenant, or of a person in it, to be notified when a connector is there. */
export const ConnectorInterestEntity = defineTable({
  name: 'ConnectorInterest',
  tableName: 'connector_interests',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    connector: p.text().primary(),
    /** Empty for the tenant as a whole: part of the key, which has no nulls. */
    email: p.text().primary(),
    createdAt: instant(),
  },
  facts: {
    tenant: 'row',
    namespace: { unbound: 'of the whole tenant' },
    merge: {
      moves: `with gone as (delete from connector_interests where tenant_id = $1 returning *)
        insert into connector_interests (tenant_id, connector, email, created_at)
        select $2, connector, email, created_at from gone on conflict do nothing`,
    },
    purge: 'goes',
    export: {
      section: 'connector_interests',
      key: ['connector', 'email'],
      columns: { tenantId: 'the document is of one tenant', connector: true, email: true, createdAt: true },
    },
    sweeps: { none: 'kept until the connector is there; few a tenant' },
  },
})
