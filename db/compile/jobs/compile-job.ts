import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { JOB_STATUSES, STAGES } from '../../../core/compile/rows/task.ts'
import type { Json, JsonObject } from '../../../core/kernel/json/json.ts'
import { BlobEntity } from '../../kernel/blobs/blob.ts'
import { bigCount, document, instant, real } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** One compile, from the request to its final state. */
export const CompileJobEntity = defineTable({
  name: 'CompileJob',
  tableName: 'compile_jobs',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    task: p.text(),
    baseModel: p.text(),
    kScoreFloor: real(),
    /**
     * Other options of the caller, as validated by the API. `corpus_namespace` is the namespace of the job and its
     * results; keys bound to namespaces see no job without one.
     */
    spec: document<JsonObject>(),
    /** Digest of the examples. */
    datasetHash: p.text(),
    /** The examples; null once released, see `release-datasets.ts`. */
    datasetSha256: () =>
      p.manyToOne(BlobEntity).mapToPk().fieldName('dataset_sha256').nullable().deleteRule('no action'),
    rowCount: p.integer(),
    /** The scored rows with their results; null before and once released, see `release-datasets.ts`. */
    rowsSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('rows_sha256').nullable().deleteRule('no action'),
    status: p.enum(JOB_STATUSES),
    stage: p.enum(STAGES),
    /** Work done, 0 to 100. */
    progress: real(),
    /** The requested concept, then the one that the result belongs to. */
    conceptId: p.text().nullable(),
    versionId: p.text().nullable(),
    kScore: real().nullable(),
    /** The evaluation in full: axes, interval, number of held-out rows, selection of rows. */
    evaluation: document<Json>().nullable(),
    /** Ids of the rows that the chosen recipe got wrong. */
    failingRows: document<readonly string[]>().nullable(),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    costUsdMicros: bigCount(),
    /** Time in which its stages held a compute slot, milliseconds. */
    computeMs: bigCount().defaultRaw('0'),
    createdAt: instant(),
    /** When the tenant's running limit admitted the job; null while it waits for its turn. */
    admittedAt: instant().nullable(),
    startedAt: instant().nullable(),
    finishedAt: instant().nullable(),
    /** Sequence number of the newest event. */
    eventSeq: p.integer(),
    idempotencyRoute: p.text().nullable(),
    idempotencyKey: p.text().nullable(),
    idempotencyBodyHash: p.text().nullable(),
    /** The key's owner, see `idempotency-claim.ts`. */
    idempotencyCredential: p.text().nullable(),
  },
  indexes: [
    { name: 'compile_jobs_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'compile_jobs_by_status', properties: ['tenantId', 'status', 'createdAt', 'id'] },
    { name: 'compile_jobs_of_all_newest', properties: ['createdAt', 'id'] },
    { name: 'compile_jobs_of_all_by_status', properties: ['status', 'createdAt', 'id'] },
    {
      name: 'compile_jobs_waiting',
      properties: ['tenantId', 'createdAt', 'id'],
      where: 'admitted_at is null and finished_at is null',
    },
    {
      name: 'compile_jobs_running',
      properties: ['tenantId'],
      where: 'admitted_at is not null and finished_at is null',
    },
    { name: 'compile_jobs_by_dataset', properties: ['datasetSha256'] },
    {
      name: 'compile_jobs_with_dataset',
      properties: ['status', 'finishedAt'],
      where: 'dataset_sha256 is not null',
    },
    { name: 'compile_jobs_by_rows', properties: ['rowsSha256'] },
    { name: 'compile_jobs_with_rows', properties: ['status', 'finishedAt'], where: 'rows_sha256 is not null' },
    { name: 'compile_jobs_unfinished', properties: ['id'], where: 'finished_at is null' },
    {
      name: 'compile_jobs_again',
      expression: `create index "compile_jobs_again" on "compile_jobs" ("tenant_id", (spec ->> 'earlier_job')) where spec ->> 'earlier_job' is not null`,
    },
  ],
  uniques: [
    {
      name: 'compile_jobs_idempotency',
      properties: ['tenantId', 'idempotencyRoute', 'idempotencyKey', 'idempotencyCredential'],
      where: 'idempotency_key is not null',
    },
  ],
  facts: {
    tenant: 'row',
    namespace: { is: "spec ->> 'corpus_namespace'" },
    // The key of a repeated call belongs to the holder of the token; in the other tenant it may mean another call.
    merge: {
      moves: `update compile_jobs set tenant_id = $2, idempotency_route = null, idempotency_key = null,
        idempotency_body_hash = null, idempotency_credential = null where tenant_id = $1`,
    },
    purge: 'goes',
    export: {
      section: 'jobs',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        task: true,
        baseModel: true,
        kScoreFloor: true,
        spec: true,
        datasetHash: true,
        datasetSha256: 'same as `dataset_hash`; the list `examples` holds the examples',
        rowCount: true,
        rowsSha256: 'the examples with their results: the list `examples` holds them, `evaluation` the figures',
        status: true,
        stage: true,
        progress: true,
        conceptId: true,
        versionId: true,
        kScore: true,
        evaluation: true,
        failingRows: true,
        errorCode: true,
        errorMessage: true,
        costUsdMicros: true,
        computeMs: true,
        createdAt: true,
        admittedAt: true,
        startedAt: true,
        finishedAt: true,
        eventSeq: 'the last number of `job_events`',
        idempotencyRoute: 'identifies a repeated call',
        idempotencyKey: 'identifies a repeated call',
        idempotencyBodyHash: 'identifies a repeated call',
        idempotencyCredential: 'identifies a repeated call',
      },
    },
    blobs: ['datasetSha256', 'rowsSha256'],
    sweeps: [
      {
        name: 'datasets',
        summary: 'Release the examples of finished compiles and their results',
        by: { special: 'releases the blob; without an archive after `stage_result_days`' },
        keptDays: 'dataset_days',
      },
    ],
  },
})

export type CompileJob = InferEntity<typeof CompileJobEntity>
