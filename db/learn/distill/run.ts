import { p } from '@mikro-orm/core'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { DistillRequest } from '../../../core/learn/distill/request.ts'
import { RUN_EVENT_KINDS, RUN_KINDS, RUN_STAGES, RUN_STATES, type RunCounts } from '../../../core/learn/distill/run.ts'
import type { ChargedTo } from '../../billing/usage/charged-to.ts'
import { BlobEntity } from '../../kernel/blobs/blob.ts'
import { bigCount, document, instant, real } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** One distillation, from the request to its end. It keeps figures and names, and no content of a row. */
export const DistillRunEntity = defineTable({
  name: 'DistillRun',
  tableName: 'distill_runs',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text(),
    kind: p.enum(RUN_KINDS),
    state: p.enum(RUN_STATES),
    stage: p.enum(RUN_STAGES),
    request: document<DistillRequest>(),
    /** The payer of the compile and the teacher. */
    chargedTo: document<ChargedTo>(),
    /** Base or artifact that is trained; null where the compile chooses. */
    student: p.text().nullable(),
    teacher: p.text().nullable(),
    datasetId: p.text().nullable(),
    datasetVersion: p.integer().nullable(),
    /** Chosen with the run, so that a repeated attempt finds the compile that an earlier one made. */
    jobId: p.text(),
    counts: document<RunCounts>(),
    manifest: document<JsonObject>().nullable(),
    /** Ids of rows whose label is probably wrong; the student does not learn from them. */
    putAside: document<readonly string[]>().nullable(),
    /** PEFT's two files of the fitted adapter, as a zip; null without one. */
    adapterSha256: () =>
      p.manyToOne(BlobEntity).mapToPk().fieldName('adapter_sha256').nullable().deleteRule('no action'),
    spendMicros: bigCount(),
    /** Training steps that were reported. */
    stepCount: p.integer(),
    lossFinal: real().nullable(),
    kFinal: real().nullable(),
    /** Sequence number of the newest event. */
    eventSeq: p.integer(),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    createdAt: instant(),
    startedAt: instant().nullable(),
    finishedAt: instant().nullable(),
  },
  indexes: [
    { name: 'distill_runs_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'distill_runs_by_id', properties: ['tenantId', 'id'] },
    { name: 'distill_runs_unfinished', properties: ['id'], where: 'finished_at is null' },
    { name: 'distill_runs_of_dataset', properties: ['tenantId', 'datasetId'], where: 'dataset_id is not null' },
    { name: 'distill_runs_by_adapter', properties: ['adapterSha256'], where: 'adapter_sha256 is not null' },
    { name: 'distill_runs_swept', properties: ['finishedAt'], where: 'finished_at is not null' },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'distill_runs',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        kind: true,
        state: true,
        stage: true,
        request: true,
        chargedTo: 'where usage is counted; the list of usage holds it',
        student: true,
        teacher: true,
        datasetId: true,
        datasetVersion: true,
        jobId: true,
        counts: true,
        manifest: true,
        putAside: true,
        adapterSha256: true,
        spendMicros: true,
        stepCount: true,
        lossFinal: true,
        kFinal: true,
        eventSeq: true,
        errorCode: true,
        errorMessage: true,
        createdAt: true,
        startedAt: true,
        finishedAt: true,
      },
    },
    blobs: ['adapterSha256'],
    sweeps: [
      {
        name: 'distillRuns',
        summary: 'Remove old distillation runs with their events',
        by: 'finishedAt',
        keptDays: 'distill_run_days',
      },
    ],
  },
})

/** An event of a run. Sequence numbers of a run are contiguous from 1. */
export const DistillEventEntity = defineTable({
  name: 'DistillEvent',
  tableName: 'distill_events',
  properties: {
    runId: () => p.manyToOne(DistillRunEntity).mapToPk().fieldName('run_id').primary().deleteRule('cascade'),
    seq: p.integer().primary(),
    /** Of its run. No foreign key: its check would lock the tenant's row for each line that is written. */
    tenantId: p.text(),
    namespace: p.text(),
    kind: p.enum(RUN_EVENT_KINDS),
    body: document<JsonObject>(),
    at: instant(),
  },
  indexes: [{ name: 'distill_events_of_tenant', properties: ['tenantId', 'runId', 'seq'] }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'distill_events',
      key: ['runId', 'seq'],
      columns: {
        runId: true,
        seq: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        kind: true,
        body: true,
        at: true,
      },
    },
    sweeps: { none: 'removed with its run' },
  },
})

/** A sample of a run's teacher, kept until the run is over so that none is paid for twice. */
export const DistillSampleEntity = defineTable({
  name: 'DistillSample',
  tableName: 'distill_samples',
  properties: {
    runId: () => p.manyToOne(DistillRunEntity).mapToPk().fieldName('run_id').primary().deleteRule('cascade'),
    /** Id of the row that it answers. */
    rowId: p.text().primary(),
    ordinal: p.integer().primary(),
    /** Of its run. No foreign key: its check would lock the tenant's row for each line that is written. */
    tenantId: p.text(),
    text: p.text(),
    finish: p.enum(['stop', 'length', 'refusal', 'other'] as const),
    costMicros: bigCount(),
  },
  indexes: [{ properties: ['tenantId'] }],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'only the stages and the end of the run read it, for the whole tenant' },
    merge: 'moves',
    purge: 'goes',
    export: { leftOut: 'working state of a run; its outcome is part of the run' },
    sweeps: { none: 'removed when its run ends, and with it' },
  },
})
