import { p } from '@mikro-orm/core'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import { BlobEntity } from '../../../kernel/blobs/blob.ts'
import { bigCount, document, instant } from '../../../kernel/tables/columns.ts'
import { CompileJobEntity } from '../../jobs/compile-job.ts'
import { TenantEntity } from '../../../kernel/tenant/tenant.ts'
import type { TeacherSpending } from '../../../../core/compile/stages/teacher/teacher-types.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'

/** The end of asking. */
export type RoundEnding = Pick<TeacherSpending, 'stopped' | 'failure' | 'grounding'>

/**
 * One job's open round with a teacher: the result of `k-sample` so far, and the money. `reserved` covers calls under
 * way, and stays reserved for those whose reply was lost; with `spent` it never exceeds the budget.
 */
export const TeacherRoundEntity = defineTable({
  name: 'TeacherRound',
  tableName: 'teacher_rounds',
  properties: {
    jobId: () => p.manyToOne(CompileJobEntity).mapToPk().fieldName('job_id').primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    /** The result of `k-sample` without the teacher; null once it was released. */
    blobSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('blob_sha256').nullable().deleteRule('no action'),
    /** The result of the activity that made it. */
    summary: document<Json>(),
    budgetUsdMicros: bigCount(),
    reservedUsdMicros: bigCount(),
    spentUsdMicros: bigCount(),
    startedAt: instant(),
    /** Outcome of asking; null while it continues. */
    ending: document<RoundEnding>().nullable(),
    endedAt: instant().nullable(),
  },
  indexes: [
    { properties: ['tenantId'] },
    { properties: ['startedAt'] },
    { name: 'teacher_rounds_by_blob', properties: ['blobSha256'], where: 'blob_sha256 is not null' },
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
        name: 'teacherRounds',
        summary: 'Remove the samples of old teacher rounds',
        by: { special: 'removes the rounds of finished jobs with their samples' },
        keptDays: 'stage_result_days',
      },
    ],
  },
})
