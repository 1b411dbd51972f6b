import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { ArtifactEntity } from '../artifacts/artifact.ts'
import { document } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A node of an artifact's evidence graph. One node may be part of several artifacts' graphs. */
export const EvidenceNodeEntity = defineTable({
  name: 'EvidenceNode',
  tableName: 'evidence_nodes',
  properties: {
    artifactId: () => p.manyToOne(ArtifactEntity).mapToPk().fieldName('artifact_id').primary(),
    /** Index in the graph as written. */
    position: p.integer().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    nodeId: p.text(),
    kind: p.text(),
    facts: document<JsonObject>(),
  },
  uniques: [{ properties: ['artifactId', 'nodeId'] }],
  indexes: [{ name: 'evidence_nodes_where_used', properties: ['tenantId', 'nodeId'] }],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'artifactId' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'evidence',
      key: ['artifactId', 'position'],
      columns: {
        artifactId: true,
        position: true,
        tenantId: 'the document is of one tenant',
        nodeId: true,
        kind: true,
        facts: true,
      },
    },
    sweeps: { none: 'part of the artifact' },
  },
})

/** An edge of an evidence graph, from dependent to dependency. */
export const EvidenceEdgeEntity = defineTable({
  name: 'EvidenceEdge',
  tableName: 'evidence_edges',
  properties: {
    artifactId: () => p.manyToOne(ArtifactEntity).mapToPk().fieldName('artifact_id').primary(),
    position: p.integer().primary(),
    /** Of its artifact. No foreign key: its check would lock the tenant's row for each line that is written. */
    tenantId: p.text(),
    fromNode: p.text(),
    toNode: p.text(),
    relationship: p.text(),
  },
  indexes: [{ properties: ['tenantId', 'artifactId', 'position'] }],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'artifactId' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'evidence_edges',
      key: ['artifactId', 'position'],
      columns: {
        artifactId: true,
        position: true,
        tenantId: 'the document is of one tenant',
        fromNode: true,
        toNode: true,
        relationship: true,
      },
    },
    sweeps: { none: 'part of the artifact' },
  },
})
