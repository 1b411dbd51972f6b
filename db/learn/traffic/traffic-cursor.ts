import { p } from '@mikro-orm/core'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** The position up to which the captures of a tenant were observed. */
export const TrafficCursorEntity = defineTable({
  name: 'TrafficCursor',
  tableName: 'traffic_cursors',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    /** Position of the last capture that was observed, see `capture_heads`. */
    position: bigCount(),
    /** Captures that were forgotten from then on are still counted. */
    visitedAt: instant(),
    /** When there may be something to count again. */
    lookAt: instant(),
  },
  indexes: [{ name: 'traffic_cursors_due', properties: ['lookAt'] }],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'a counter over the captures of the whole tenant' },
    // The captures that moved have positions of the workspace: the other tenant's are observed from the start again.
    merge: {
      moves: `insert into traffic_cursors (tenant_id, position, visited_at, look_at)
        select $2, 0, visited_at, 'epoch' from traffic_cursors where tenant_id = $1
        on conflict (tenant_id) do update set position = 0, look_at = 'epoch'`,
    },
    purge: 'goes',
    export: { leftOut: 'a counter of the store' },
  },
})
