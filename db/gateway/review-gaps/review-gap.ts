import { p } from '@mikro-orm/core'
import { instant, real } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'

/** A gap in what an artifact knows, with captures whose review would help to close it. One a day for each. */
export const ReviewGapEntity = defineTable({
  name: 'ReviewGap',
  tableName: 'review_gaps',
  properties: {
    tenantId: p.text().primary(),
    namespace: p.text().primary(),
    /** The id of the failure mode: `cl_…`. */
    clusterId: p.text().primary(),
    /** Day of UTC, `YYYY-MM-DD`. */
    day: p.text().primary(),
    /** The rows in words. */
    title: p.text(),
    score: real(),
    recommended: p.integer(),
    delta: real(),
    samples: p.integer(),
    /** The artifact that fails. */
    artifactId: p.text(),
    captureIds: p.array(),
    fedAt: instant(),
  },
  indexes: [
    { name: 'review_gaps_of_artifact', properties: ['tenantId', 'artifactId'] },
    { name: 'review_gaps_by_time', properties: ['fedAt'] },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: {
      moves: `update review_gaps g set tenant_id = $2 where tenant_id = $1 and not exists (select 1 from review_gaps o
        where o.tenant_id = $2 and o.namespace = g.namespace and o.cluster_id = g.cluster_id and o.day = g.day)`,
    },
    purge: 'goes',
    export: {
      section: 'review_gaps',
      key: ['namespace', 'clusterId', 'day'],
      columns: {
        tenantId: 'the document is of one tenant',
        namespace: true,
        clusterId: true,
        day: true,
        title: true,
        score: true,
        recommended: true,
        delta: true,
        samples: true,
        artifactId: true,
        captureIds: true,
        fedAt: true,
      },
    },
    sweeps: [{ name: 'reviewGaps', summary: 'Remove old gaps of the review queue', by: 'fedAt', keptDays: 90 }],
  },
})
