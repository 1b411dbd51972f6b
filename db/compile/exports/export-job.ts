import { p, type InferEntity } from '@mikro-orm/core'
import { EXPORT_STATES } from '../../../core/compile/rows/task.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { ArtifactEntity } from '../artifacts/artifact.ts'
import { BlobEntity } from '../../kernel/blobs/blob.ts'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** One conversion of an artifact into another format, from the request to the file. */
export const ExportJobEntity = defineTable({
  name: 'ExportJob',
  tableName: 'exports',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    artifactId: () => p.manyToOne(ArtifactEntity).mapToPk().fieldName('artifact_id').deleteRule('no action'),
    /** The format. */
    target: p.text(),
    /** Storage form of its numbers; null for a format with only one. */
    quant: p.text().nullable(),
    /** Part of the weights: `merged`, `base` or `adapter`. */
    part: p.text(),
    /** Destination of the file. */
    destination: p.text(),
    state: p.enum(EXPORT_STATES),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    /** The file; null before it exists and after it has expired. */
    resultSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('result_sha256').nullable().deleteRule('no action'),
    /** Digest of the file, which outlives it. */
    resultHash: p.text().nullable(),
    sizeBytes: bigCount().nullable(),
    fileName: p.text().nullable(),
    mediaType: p.text().nullable(),
    createdAt: instant(),
    startedAt: instant().nullable(),
    finishedAt: instant().nullable(),
    /** When the file may be removed. */
    expiresAt: instant().nullable(),
  },
  indexes: [
    { name: 'exports_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'exports_of_artifact', properties: ['artifactId'] },
    { name: 'exports_by_result', properties: ['resultSha256'], where: 'result_sha256 is not null' },
    { name: 'exports_unfinished', properties: ['id'], where: 'finished_at is null' },
    { name: 'exports_unfinished_of_tenant', properties: ['tenantId'], where: 'finished_at is null' },
    { name: 'exports_to_expire', properties: ['expiresAt'], where: 'result_sha256 is not null' },
  ],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'artifactId' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'exports',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        artifactId: true,
        target: true,
        quant: true,
        part: true,
        destination: true,
        state: true,
        errorCode: true,
        errorMessage: true,
        resultSha256: 'same as `result_hash`',
        resultHash: true,
        sizeBytes: true,
        fileName: true,
        mediaType: true,
        createdAt: true,
        startedAt: true,
        finishedAt: true,
        expiresAt: true,
      },
    },
    blobs: ['resultSha256'],
    sweeps: [
      {
        name: 'exports',
        summary: 'Release the files of expired exports',
        by: { special: 'releases the blob of the file' },
      },
    ],
  },
})

export type ExportJob = InferEntity<typeof ExportJobEntity>
