import { p } from '@mikro-orm/core'
import { instant } from '../../../kernel/tables/columns.ts'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import { ArtifactEntity } from '../artifact.ts'

/** A flag: the artifact is built on another one, which was revoked, so it needs a review. */
export const ArtifactReviewEntity = defineTable({
  name: 'ArtifactReview',
  tableName: 'artifact_reviews',
  properties: {
    artifactId: () => p.manyToOne(ArtifactEntity).mapToPk().fieldName('artifact_id').primary(),
    /** The revoked artifact. */
    sourceId: p.text().primary(),
    /** Of the artifact. */
    tenantId: p.text(),
    /** When the other one was revoked. */
    at: instant(),
  },
  indexes: [{ properties: ['tenantId', 'artifactId', 'sourceId'] }],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'artifactId' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'artifact_reviews',
      key: ['artifactId', 'sourceId'],
      columns: {
        artifactId: true,
        sourceId: true,
        tenantId: 'the document is of one tenant',
        at: true,
      },
    },
    sweeps: { none: 'part of the evidence of the artifact' },
  },
})
