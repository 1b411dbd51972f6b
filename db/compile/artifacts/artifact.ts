import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { RECIPE_KINDS } from '../../../core/compile/rows/task.ts'
import { ARTIFACT_STATES } from '../../../core/compile/artifacts/life/states.ts'
import type { Json, JsonObject } from '../../../core/kernel/json/json.ts'
import { BlobEntity } from '../../kernel/blobs/blob.ts'
import { bigCount, document, instant, real } from '../../kernel/tables/columns.ts'
import { ConceptEntity } from '../concepts/concept.ts'
import { VersionEntity } from '../concepts/version.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A signed `.svc` archive. Its id is its job's id. */
export const ArtifactEntity = defineTable({
  name: 'Artifact',
  tableName: 'artifacts',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    conceptId: () => p.manyToOne(ConceptEntity).mapToPk().fieldName('concept_id'),
    versionId: () => p.manyToOne(VersionEntity).mapToPk().fieldName('version_id').unique(),
    /** First 200 characters of the task. */
    name: p.text(),
    state: p.enum(ARTIFACT_STATES),
    recipeKind: p.enum(RECIPE_KINDS),
    baseModel: p.text(),
    archiveSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('archive_sha256'),
    sizeBytes: bigCount(),
    cid: p.text(),
    manifestHash: p.text(),
    signature: p.text(),
    evalSetHash: p.text().nullable(),
    kScore: real(),
    holdoutCount: p.integer(),
    /** The members of the archive by name, with their digests. */
    manifest: document<JsonObject>(),
    receipt: document<JsonObject>(),
    evaluation: document<Json>(),
    createdAt: instant(),
    signedAt: instant(),
    expiresAt: instant().nullable(),
    revokedAt: instant().nullable(),
    revokedReason: p.text().nullable(),
  },
  indexes: [
    { name: 'artifacts_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'artifacts_by_cid', properties: ['tenantId', 'cid', 'createdAt'] },
    { name: 'artifacts_of_concept', properties: ['conceptId'] },
    { name: 'artifacts_by_archive', properties: ['archiveSha256'] },
    {
      name: 'artifacts_by_receipt',
      expression: `create index "artifacts_by_receipt" on "artifacts" ((receipt ->> 'artifact_hash'))`,
    },
  ],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'id' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'artifacts',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        conceptId: true,
        versionId: true,
        name: true,
        state: true,
        recipeKind: true,
        baseModel: true,
        archiveSha256: true,
        sizeBytes: true,
        cid: true,
        manifestHash: true,
        signature: true,
        evalSetHash: true,
        kScore: true,
        holdoutCount: true,
        manifest: true,
        receipt: true,
        evaluation: true,
        createdAt: true,
        signedAt: true,
        expiresAt: true,
        revokedAt: true,
        revokedReason: true,
      },
    },
    blobs: ['archiveSha256'],
    sweeps: { none: 'an expired artifact stays verifiable until its owner deletes it' },
  },
})

/** An artifact as it is read, with what speaks for a review of it. */
export type Artifact = InferEntity<typeof ArtifactEntity> & {
  readonly forgottenCaptures: number
  /** Of the newest of the captures that were forgotten after it learned from them. */
  readonly forgottenLast: Date | null
  /** Revoked artifacts that it is built on, the last one first; at most `MOST_SOURCES`. */
  readonly revokedSources: readonly string[]
  readonly revokedSourceLast: Date | null
}
