import { p } from '@mikro-orm/core'
import { bigCount, bytes, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/**
 * A template of a namespace's captured calls, with the figures of its calls over the last 30 days. It holds no text of a call:
 * previews and examples are read from the captures, so that what is forgotten is gone here too.
 */
export const TrafficTemplateEntity = defineTable({
  name: 'TrafficTemplate',
  tableName: 'traffic_templates',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    namespace: p.text().primary(),
    /** `ts1:…`, as `captures.template`. */
    signature: p.text().primary(),
    /** The signature that stands for its cluster: its own, or that of an older template which is alike. */
    cluster: p.text(),
    /** A capture of the template, of which the sketch is made. */
    exemplarId: p.text(),
    /** Null until it is made. */
    sketch: bytes().nullable(),
    /** Captures since the figures were counted. */
    fresh: bigCount(),
    calls: bigCount(),
    pricedCalls: bigCount(),
    statedCalls: bigCount(),
    costMicros: bigCount(),
    timedCalls: bigCount(),
    latencyUs: bigCount(),
    tried: p.integer(),
    hits: p.integer(),
    /** The model that answered most of the calls. */
    model: p.text().nullable(),
    firstAt: instant(),
    lastAt: instant(),
    countedAt: instant(),
    createdAt: instant(),
  },
  indexes: [
    { name: 'traffic_templates_of_cluster', properties: ['tenantId', 'namespace', 'cluster'] },
    { name: 'traffic_templates_to_count', properties: ['tenantId', 'countedAt'] },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: {
      moves: `update traffic_templates t set tenant_id = $2, fresh = t.fresh + 1, counted_at = 'epoch' where tenant_id = $1
        and not exists (select 1 from traffic_templates o where o.tenant_id = $2 and o.namespace = t.namespace
          and o.signature = t.signature)`,
    },
    purge: 'goes',
    export: { leftOut: 'figures made from `captures`' },
    sweeps: { none: 'bounded by traffic_templates_per_tenant; those without calls in 30 days are removed' },
  },
})
