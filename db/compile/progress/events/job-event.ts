import { p } from '@mikro-orm/core'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { document, instant } from '../../../kernel/tables/columns.ts'
import { CompileJobEntity } from '../../jobs/compile-job.ts'

/** Kinds of event that a job records; `done`, `gated` and `error` are the last of their job. */
export const JOB_EVENT_KINDS = [
  'step.start',
  'step.end',
  'progress',
  'metric',
  'cost',
  'log',
  'done',
  'gated',
  'error',
] as const
export type JobEventKind = (typeof JOB_EVENT_KINDS)[number]

/** One line of a job's event log. Sequence numbers of a job are contiguous from 1. */
export const JobEventEntity = defineTable({
  name: 'JobEvent',
  tableName: 'job_events',
  properties: {
    jobId: () => p.manyToOne(CompileJobEntity).mapToPk().fieldName('job_id').primary(),
    seq: p.integer().primary(),
    /** Of its job. No foreign key: its check would lock the tenant's row for each line that is written. */
    tenantId: p.text(),
    kind: p.enum(JOB_EVENT_KINDS),
    body: document<JsonObject>(),
    at: instant(),
  },
  indexes: [{ properties: ['tenantId', 'jobId', 'seq'] }],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'jobId' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'job_events',
      key: ['jobId', 'seq'],
      columns: {
        jobId: true,
        seq: true,
        tenantId: 'the document is of one tenant',
        kind: true,
        body: true,
        at: true,
      },
    },
    sweeps: { none: 'lines of a job, which its owner reads as long as the job' },
  },
})
