import { p } from '@mikro-orm/core'
import { bigCount, bytes, instant } from '../../../kernel/tables/columns.ts'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import { CompileJobEntity } from '../compile-job.ts'

/** A capture that a compile learns from: the example of its id. It outlives the capture, as the evidence of its artifact. */
export const CaptureUseEntity = defineTable({
  name: 'CaptureUse',
  tableName: 'compile_captures',
  properties: {
    tenantId: p.text().primary(),
    jobId: () => p.manyToOne(CompileJobEntity).mapToPk().fieldName('job_id').primary(),
    captureId: p.text().collation('C').primary(),
    /** Place and hash of the capture's row in its chain. */
    seq: bigCount(),
    chainHash: bytes(),
    /** When the capture was forgotten: its artifact needs a review from then on. */
    forgottenAt: instant().nullable(),
    /** When its example was removed from what is stored of the job. */
    erasedAt: instant().nullable(),
  },
  indexes: [
    { name: 'compile_captures_by_capture', properties: ['tenantId', 'captureId'] },
    { name: 'compile_captures_forgotten', properties: ['jobId'], where: 'forgotten_at is not null' },
    {
      name: 'compile_captures_to_erase',
      properties: ['jobId', 'tenantId'],
      where: 'forgotten_at is not null and erased_at is null',
    },
  ],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'jobId' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'compile_captures',
      key: ['jobId', 'captureId'],
      columns: {
        tenantId: 'the document is of one tenant',
        jobId: true,
        captureId: true,
        seq: true,
        chainHash: true,
        forgottenAt: true,
        erasedAt: 'a time of the chore',
      },
    },
    sweeps: { none: 'part of the evidence of the artifact' },
  },
})
