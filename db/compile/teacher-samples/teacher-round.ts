import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { BlobEntity } from '../../kernel/blobs/blob.ts'
import { bigCount, document, instant } from '../../kernel/tables/columns.ts'
import { CompileJobEntity } from '../jobs/compile-job.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'
import type { TeacherSpending } from '../../../core/compile/stages/teacher/teacher-types.ts'
import type { Json } from '../../../core/kernel/json/json.ts'

/** How asking came to its end. */
export type RoundEnding = Pick<TeacherSpending, 'stopped' | 'failure'>

/**
 * What one job has open with a teacher: the result of `k-sample` so far, and the money. `reserved` is held for calls
 * under way, and stays held for those whose answer was lost; with `spent` it never exceeds the budget.
 */
export const TeacherRoundEntity = defineTable({
  name: 'TeacherRound',
  tableName: 'teacher_rounds',
  properties: {
    jobId: () => p.manyToOne(CompileJobEntity).mapToPk().fieldName('job_id').primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    /** What `k-sample` found without the teacher; null once it was released. */
    blobSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('blob_sha256').nullable().deleteRule('no action'),
    /** The answer of the activity that found it. */
    summary: document<Json>(),
    budgetUsdMicros: bigCount(),
    reservedUsdMicros: bigCount(),
    spentUsdMicros: bigCount(),
    startedAt: instant(),
    /** How asking ended; null while it goes on. */
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
    merge: 'moves',
    purge: 'goes',
    export: { leftOut: 'working state of a compile; its outcome is part of the job' },
    blobs: ['blobSha256'],
  },
})
