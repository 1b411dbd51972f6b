import { p } from '@mikro-orm/core'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import { bigCount, instant } from '../../../kernel/tables/columns.ts'
import { TenantEntity } from '../../../kernel/tenant/tenant.ts'
import { TeacherRoundEntity } from './teacher-round.ts'

/** One sample of a teacher, recorded on arrival. Its text may quote examples of its tenant. */
export const TeacherSampleEntity = defineTable({
  name: 'TeacherSample',
  tableName: 'teacher_samples',
  properties: {
    jobId: () => p.manyToOne(TeacherRoundEntity).mapToPk().fieldName('job_id').deleteRule('cascade').primary(),
    question: p.text().primary(),
    ordinal: p.integer().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    /** Digest of provider, model and request: finds an equal question of the tenant. */
    requestHash: p.text(),
    text: p.text(),
    finish: p.enum(['stop', 'length', 'refusal', 'other'] as const),
    model: p.text(),
    inputTokens: p.integer(),
    cachedTokens: p.integer(),
    outputTokens: p.integer(),
    costUsdMicros: bigCount(),
    latencyMs: p.integer(),
    attempts: p.integer(),
    isReused: p.boolean(),
    /** Its outcome; null until it is decided. */
    outcome: p.text().nullable(),
    createdAt: instant(),
  },
  indexes: [{ name: 'teacher_samples_by_request', properties: ['tenantId', 'requestHash', 'ordinal'] }],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'only the stages and the end of the job read it, for the whole tenant' },
    merge: 'moves',
    purge: 'goes',
    export: { leftOut: 'working state of a compile; its outcome is part of the job' },
    sweeps: { none: 'removed with their round' },
  },
})
