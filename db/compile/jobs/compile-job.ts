import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import { JOB_STATUSES, STAGES } from '../../../core/compile/task.ts'
import type { Json, JsonObject } from '../../../core/kernel/json/json.ts'
import { BlobEntity } from '../../kernel/blobs/blob.ts'
import { bigCount, document, instant, real } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** One compile, from the request to its final state. */
export const CompileJobEntity = defineEntity({
  name: 'CompileJob',
  tableName: 'compile_jobs',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    task: p.text(),
    baseModel: p.text(),
    kScoreFloor: real(),
    /**
     * What else the caller asked for, as validated by the API. `corpus_namespace` is the namespace that the job and what it
     * makes lie in; keys that are bound to namespaces see no job without one.
     */
    spec: document<JsonObject>(),
    /** Digest of the examples. */
    datasetHash: p.text(),
    /** The examples themselves; null when they were released, see `release-datasets.ts`. */
    datasetSha256: () =>
      p.manyToOne(BlobEntity).mapToPk().fieldName('dataset_sha256').nullable().deleteRule('no action'),
    rowCount: p.integer(),
    status: p.enum(JOB_STATUSES),
    stage: p.enum(STAGES),
    /** Work done, 0 to 100. */
    progress: real(),
    /** The concept that was asked for, then the one that the result belongs to. */
    conceptId: p.text().nullable(),
    versionId: p.text().nullable(),
    kScore: real().nullable(),
    /** The evaluation in full: axes, interval, holdout count, how rows were chosen. */
    evaluation: document<Json>().nullable(),
    /** Ids of the rows that the chosen recipe got wrong. */
    failingRows: document<readonly string[]>().nullable(),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    costUsdMicros: bigCount(),
    /** Time in which its stages held a compute slot, milliseconds. */
    computeMs: bigCount().defaultRaw('0'),
    createdAt: instant(),
    /** When the tenant's running limit let the job in; null while it waits for its turn. */
    admittedAt: instant().nullable(),
    startedAt: instant().nullable(),
    finishedAt: instant().nullable(),
    /** Sequence number of the newest event. */
    eventSeq: p.integer(),
    idempotencyRoute: p.text().nullable(),
    idempotencyKey: p.text().nullable(),
    idempotencyBodyHash: p.text().nullable(),
    /** Whose key it is, see `idempotency-claim.ts`. */
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
    { name: 'compile_jobs_unfinished', properties: ['id'], where: 'finished_at is null' },
  ],
  uniques: [
    {
      name: 'compile_jobs_idempotency',
      properties: ['tenantId', 'idempotencyRoute', 'idempotencyKey', 'idempotencyCredential'],
      where: 'idempotency_key is not null',
    },
  ],
})

export type CompileJob = InferEntity<typeof CompileJobEntity>
