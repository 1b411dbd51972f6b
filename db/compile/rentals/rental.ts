import { p, type InferEntity } from '@mikro-orm/core'
import type { Quote } from '../../../core/compile/stages/rentals/quote/quote.ts'
import { FIT_LANES } from '../../../core/compile/stages/rentals/lanes.ts'
import type { Json, JsonObject } from '../../../core/kernel/json/json.ts'
import { BlobEntity } from '../../kernel/blobs/blob.ts'
import { bigCount, bytes, document, instant, real } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { CompileJobEntity } from '../jobs/compile-job.ts'

/** The order of a compile whose adapter is fitted on another machine, rented or of the tenant's pool; its machines are leases. */
export const RentalEntity = defineTable({
  name: 'Rental',
  tableName: 'rentals',
  properties: {
    jobId: () => p.manyToOne(CompileJobEntity).mapToPk().fieldName('job_id').primary(),
    /** Of its job. No foreign key, as with other records of jobs. */
    tenantId: p.text(),
    lane: p.enum(FIT_LANES),
    /** Digest of the fit's input, once its workflow has begun. */
    fit: p.text().nullable(),
    budgetUsdMicros: bigCount(),
    rateUsdMicros: bigCount(),
    quote: document<Quote>(),
    /** The tenant's own key at the provider; null for the operator's. */
    providerKeyId: p.text().nullable(),
    /** A copy of that key: machines are ended with it, also when the key has left the vault or the account is deleted. */
    sealedKey: bytes().nullable(),
    /** Billions of parameters of the base. */
    parametersB: real(),
    /** The GPU that the fit is metered by, and the number of them; null where time on machines is not metered. */
    gpuSku: p.text().nullable(),
    vramTier: p.text().nullable(),
    /** Of a fit of a pool: those with a higher one are leased first. */
    priority: p.integer().nullable(),
    /** True when the caller lets sensitive text leave for the machine. */
    allowsSensitive: p.boolean().default(false),
    /** Of the fit that ended well: the measured speed of later quotes, where the operator's key paid. */
    tokensPerSecond: real().nullable(),
    /** Of all machines that ended, millionths of a US dollar. */
    costUsdMicros: bigCount(),
    errorCode: p.text().nullable(),
    createdAt: instant(),
    /** When no machine of it was left. */
    endedAt: instant().nullable(),
  },
  indexes: [
    { name: 'rentals_of_tenant', properties: ['tenantId', 'createdAt', 'jobId'] },
    { name: 'rentals_open', properties: ['jobId'], where: 'ended_at is null' },
    {
      name: 'rentals_of_pool',
      properties: ['tenantId', 'gpuSku', 'vramTier'],
      where: "lane = 'pool' and ended_at is null",
    },
    { name: 'rentals_keyed', properties: ['jobId'], where: 'sealed_key is not null and ended_at is not null' },
    { name: 'rentals_measured', properties: ['lane', 'endedAt'], where: 'tokens_per_second is not null' },
  ],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'read through its job only, whose policy holds' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'rentals',
      key: ['createdAt', 'jobId'],
      columns: {
        jobId: true,
        tenantId: 'the document is of one tenant',
        lane: true,
        fit: 'working state of the fit',
        budgetUsdMicros: true,
        rateUsdMicros: true,
        quote: true,
        providerKeyId: true,
        sealedKey: 'a secret',
        parametersB: true,
        gpuSku: true,
        vramTier: true,
        priority: true,
        allowsSensitive: true,
        tokensPerSecond: true,
        costUsdMicros: true,
        errorCode: true,
        createdAt: true,
        endedAt: true,
      },
    },
    sealed: { sealedKey: { purpose: `'rental'`, key: 'job_id' } },
    sweeps: { none: 'one for each job, which stays' },
  },
})

export type Rental = InferEntity<typeof RentalEntity>

/** One machine of a rental, from its order to its confirmed end, and what it sent. */
export const LeaseEntity = defineTable({
  name: 'RentalLease',
  tableName: 'rental_leases',
  properties: {
    id: p.text().primary(),
    jobId: () => p.manyToOne(RentalEntity).mapToPk().fieldName('job_id').deleteRule('cascade'),
    tenantId: p.text(),
    /** Counted from 1 within its rental. */
    number: p.integer(),
    /** Name of the machine at the provider. */
    machineName: p.text(),
    /** The provider's id of the machine, null while the outcome of the order is unknown; or the pool of the worker. */
    machineId: p.text().nullable(),
    rateUsdMicros: bigCount(),
    /** SHA-256 of the token that the machine opens the lease with, once. */
    tokenHash: p.text(),
    /** SHA-256 of the secret that the machine chose when it did. */
    sessionHash: p.text().nullable(),
    orderedAt: instant(),
    openedAt: instant().nullable(),
    seenAt: instant().nullable(),
    /** End of the time that is metered; null before the first heartbeat, and where time is not metered. */
    meteredAt: instant().nullable(),
    progress: document<Json>().nullable(),
    checkpointAt: instant().nullable(),
    /** When it was asked to stop. */
    closingAt: instant().nullable(),
    configSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('config_sha256').nullable().deleteRule('no action'),
    weightsSha256: () =>
      p.manyToOne(BlobEntity).mapToPk().fieldName('weights_sha256').nullable().deleteRule('no action'),
    trainingSha256: () =>
      p.manyToOne(BlobEntity).mapToPk().fieldName('training_sha256').nullable().deleteRule('no action'),
    /** The figures of a fit that ended well, as the machine states them. */
    result: document<JsonObject>().nullable(),
    failureCode: p.text().nullable(),
    endedAt: instant().nullable(),
    costUsdMicros: bigCount(),
  },
  indexes: [
    { name: 'rental_leases_by_session', properties: ['sessionHash'], where: 'session_hash is not null' },
    { name: 'rental_leases_open', properties: ['jobId'], where: 'ended_at is null' },
    { name: 'rental_leases_of_tenant', properties: ['tenantId', 'jobId', 'number'] },
    { name: 'rental_leases_by_config', properties: ['configSha256'], where: 'config_sha256 is not null' },
    { name: 'rental_leases_by_weights', properties: ['weightsSha256'], where: 'weights_sha256 is not null' },
    { name: 'rental_leases_by_training', properties: ['trainingSha256'], where: 'training_sha256 is not null' },
  ],
  uniques: [
    { name: 'rental_leases_token', properties: ['tokenHash'] },
    { name: 'rental_leases_number', properties: ['jobId', 'number'] },
  ],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'read through its job only, whose policy holds' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'rental_leases',
      key: ['jobId', 'number'],
      columns: {
        id: true,
        jobId: true,
        tenantId: 'the document is of one tenant',
        number: true,
        machineName: true,
        machineId: true,
        rateUsdMicros: true,
        tokenHash: 'a secret of the machine',
        sessionHash: 'a secret of the machine',
        orderedAt: true,
        openedAt: true,
        seenAt: true,
        meteredAt: true,
        progress: 'working state of the fit',
        checkpointAt: 'working state of the fit',
        closingAt: 'working state of the fit',
        configSha256: 'a file that is on its way into the artifact',
        weightsSha256: 'a file that is on its way into the artifact',
        trainingSha256: 'a file that is on its way into the artifact',
        result: 'working state of the fit',
        failureCode: true,
        endedAt: true,
        costUsdMicros: true,
      },
    },
    blobs: ['configSha256', 'weightsSha256', 'trainingSha256'],
    sweeps: { none: 'a few for each rental, which stays' },
  },
})

export type Lease = InferEntity<typeof LeaseEntity>

/** The checkpoint of a fit whose rental ended without an adapter: the next rental of the same rows continues from it. */
export const KeptCheckpointEntity = defineTable({
  name: 'KeptCheckpoint',
  tableName: 'rental_checkpoints',
  properties: {
    tenantId: p.text().primary(),
    /** Digest of the fit's input. */
    fit: p.text().primary(),
    blobSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('blob_sha256').deleteRule('no action'),
    step: p.integer(),
    keptAt: instant(),
  },
  indexes: [
    { name: 'rental_checkpoints_swept', properties: ['keptAt'] },
    { name: 'rental_checkpoints_by_blob', properties: ['blobSha256'] },
  ],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'only the fit of a job reads it, for the whole tenant' },
    merge: { stays: 'a workspace rents no machine' },
    purge: 'goes',
    export: { leftOut: 'working state of a fit; its outcome is part of the job' },
    blobs: ['blobSha256'],
    sweeps: [
      {
        name: 'keptCheckpoints',
        summary: 'Remove checkpoints of rentals that ended without an adapter',
        by: 'keptAt',
        keptDays: 'stage_result_days',
      },
    ],
  },
})
