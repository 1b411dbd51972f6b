import { p } from '@mikro-orm/core'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { BlobEntity } from '../../../kernel/blobs/blob.ts'
import { document, instant } from '../../../kernel/tables/columns.ts'
import { CompileJobEntity } from '../../jobs/compile-job.ts'

/** Stored records of a fit while its stage runs; `failure` alone has no bytes. */
export const TRAINING_ROLES = ['plan', 'input', 'checkpoint', 'config', 'weights', 'training', 'failure'] as const

/**
 * One input or output of a fit: its training input, its newest checkpoint, its adapter, its report. It keeps the blob
 * from being collected until the stage is over.
 */
export const TrainingRecordEntity = defineTable({
  name: 'TrainingRecord',
  tableName: 'training_records',
  properties: {
    jobId: () => p.manyToOne(CompileJobEntity).mapToPk().fieldName('job_id').primary(),
    /** Digest of the fit's input; `job` for data that all fits of the job share. */
    fit: p.text().primary(),
    role: p.enum(TRAINING_ROLES).primary(),
    /** Of its job. No foreign key: its check would lock the tenant's row for each line that is written. */
    tenantId: p.text(),
    blobSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('blob_sha256').nullable().deleteRule('no action'),
    /** Small facts: the step of a checkpoint, the result of a fit, the reason for a failure. */
    facts: document<Json>().nullable(),
    recordedAt: instant(),
  },
  indexes: [
    { properties: ['tenantId'] },
    { name: 'training_records_by_blob', properties: ['blobSha256'], where: 'blob_sha256 is not null' },
  ],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'only the stages and the end of the job read it, for the whole tenant' },
    merge: 'moves',
    purge: 'goes',
    export: { leftOut: 'working state of a compile; its outcome is part of the job' },
    blobs: ['blobSha256'],
    sweeps: [
      {
        name: 'trainingRecords',
        summary: 'Remove the training records of finished compiles',
        by: { special: 'removes the records of finished jobs' },
      },
    ],
  },
})
