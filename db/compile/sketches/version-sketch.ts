import { p } from '@mikro-orm/core'
import { bytes, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { ArtifactEntity } from '../artifacts/artifact.ts'

/** Counts of the features of a version's train inputs, as hashes: calls are routed by them. */
export const VersionSketchEntity = defineTable({
  name: 'VersionSketch',
  tableName: 'version_sketches',
  properties: {
    /** The artifact of the version. */
    artifactId: () => p.manyToOne(ArtifactEntity).mapToPk().fieldName('artifact_id').primary(),
    /** Of its artifact. */
    tenantId: p.text(),
    /** `core/compile/runtime/routing/sketch.ts`; of no inputs where none could be read. */
    sketch: bytes(),
    createdAt: instant(),
  },
  indexes: [{ properties: ['tenantId', 'artifactId'] }],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'artifactId' },
    merge: 'moves',
    purge: 'goes',
    export: { leftOut: 'hashes that are computed from the examples, which the document holds' },
    sweeps: { none: 'one row for each artifact' },
  },
})
