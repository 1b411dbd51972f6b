import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import { WORK_STAGES } from '../../../../core/compile/rows/task.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { BlobEntity } from '../../../kernel/blobs/blob.ts'
import { document, instant, real } from '../../../kernel/tables/columns.ts'
import { CompileJobEntity } from '../compile-job.ts'
import type { StageCost } from './stage-cost.ts'

/** One stage of one job. The first recorded result stands; a repeated activity gets it again. */
export const JobStageEntity = defineTable({
  name: 'JobStage',
  tableName: 'job_stages',
  properties: {
    jobId: () => p.manyToOne(CompileJobEntity).mapToPk().fieldName('job_id').primary(),
    stage: p.enum(WORK_STAGES).primary(),
    /** Of its job. No foreign key: its check would lock the tenant's row for each line that is written. */
    tenantId: p.text(),
    attempts: p.integer(),
    /** Progress of the stage, 0 to 1. */
    fraction: real(),
    startedAt: instant(),
    completedAt: instant().nullable(),
    outcome: p.enum(['done', 'skipped', 'failed'] as const).nullable(),
    /** Small facts; large data is in the blob. */
    result: document<Json>().nullable(),
    blobSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('blob_sha256').nullable().deleteRule('no action'),
    cost: document<StageCost>().nullable(),
  },
  indexes: [
    { properties: ['tenantId'] },
    { name: 'job_stages_by_blob', properties: ['blobSha256'], where: 'blob_sha256 is not null' },
  ],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'jobId' },
    merge: 'moves',
    purge: 'goes',
    export: { leftOut: 'working state of a compile; its outcome is part of the job' },
    blobs: ['blobSha256'],
    sweeps: [
      {
        name: 'stageResults',
        summary: 'Release the stage data of finished compiles',
        by: { special: 'releases the blobs of finished jobs' },
        keptDays: 'stage_result_days',
      },
    ],
  },
})

export type JobStage = InferEntity<typeof JobStageEntity>
