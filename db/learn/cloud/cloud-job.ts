import { p, type InferEntity } from '@mikro-orm/core'
import { FIT_LANES } from '../../../core/compile/stages/rentals/lanes.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { bigCount, document, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A distillation of captures of a window whose fit is leased by the tenant's pool or a rented machine. */
export const CloudJobEntity = defineTable({
  name: 'CloudJob',
  tableName: 'cloud_jobs',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text(),
    recipeId: p.text(),
    captureWindow: p.text(),
    /** Captures from this time on are learned from. */
    captureFrom: instant(),
    lane: p.enum(FIT_LANES),
    gpuSku: p.text(),
    vramTier: p.text(),
    rateUsdMicros: bigCount(),
    budgetUsdMicros: bigCount(),
    /** The tenant's own key at the provider; null for the operator's, and for a pool. */
    providerKeyId: p.text().nullable(),
    baseModel: p.text(),
    /** Choices of the compile, as validated. */
    choices: document<JsonObject>(),
    /** Team and member that pay. */
    chargedTo: document<JsonObject>(),
    allowsSensitive: p.boolean(),
    /** Keyed hash of the caller's billing token; the token itself is not kept. */
    billingTokenHash: p.text().nullable(),
    /** Id of its distillation, which exists once the job has begun. */
    runId: p.text(),
    cancelledAt: instant().nullable(),
    cancelReason: p.text().nullable(),
    /** Of a job that could not begin. */
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    createdAt: instant(),
    /** When it began, was cancelled before, or could not begin: its workflow has nothing left to do. */
    settledAt: instant().nullable(),
    idempotencyKey: p.text().nullable(),
    idempotencyCredential: p.text().nullable(),
    idempotencyBodyHash: p.text().nullable(),
  },
  indexes: [
    { name: 'cloud_jobs_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'cloud_jobs_waiting', properties: ['id'], where: 'settled_at is null' },
  ],
  uniques: [{ name: 'cloud_jobs_idempotency', properties: ['tenantId', 'idempotencyKey', 'idempotencyCredential'] }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: { stays: 'a workspace may not submit any' },
    purge: 'goes',
    export: {
      section: 'cloud_jobs',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        recipeId: true,
        captureWindow: true,
        captureFrom: true,
        lane: true,
        gpuSku: true,
        vramTier: true,
        rateUsdMicros: true,
        budgetUsdMicros: true,
        providerKeyId: true,
        baseModel: true,
        choices: true,
        chargedTo: true,
        allowsSensitive: true,
        billingTokenHash: 'a digest of a secret of the caller',
        runId: true,
        cancelledAt: true,
        cancelReason: true,
        errorCode: true,
        errorMessage: true,
        createdAt: true,
        settledAt: true,
        idempotencyKey: 'a secret of the caller',
        idempotencyCredential: 'names a credential',
        idempotencyBodyHash: 'a digest of a request',
      },
    },
    sweeps: { none: 'one for each job, which stays, with the costs of its fit' },
  },
})

/** A cloud job. */
export type CloudJob = InferEntity<typeof CloudJobEntity>
