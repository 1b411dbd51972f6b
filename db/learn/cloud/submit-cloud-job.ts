import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { FitLane } from '../../../core/compile/stages/rentals/lanes.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { CloudDistill } from '../../../core/learn/workflows.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import type { ChargedTo } from '../../billing/usage/charged-to.ts'
import { keyReused, keysCountAfter } from '../../kernel/idempotency/claims.ts'
import { requireNamespace } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import { json } from '../../kernel/queries/typed.ts'
import { inAllNamespaces, lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'

/** A cloud job, as validated. */
export interface NewCloudJob {
  readonly namespace: string
  readonly recipeId: string
  readonly captureWindow: string
  readonly captureFrom: Date
  readonly lane: FitLane
  readonly gpuSku: string
  readonly vramTier: string
  readonly rateUsdMicros: number
  readonly budgetUsdMicros: number
  readonly providerKeyId: string | null
  readonly baseModel: string
  readonly choices: JsonObject
  readonly chargedTo: ChargedTo
  readonly allowsSensitive: boolean
  readonly billingTokenHash: string | null
  readonly limits: Limits
  readonly idempotency: CloudIdempotency | undefined
}

/** The caller's Idempotency-Key with its credential and the digest of what it asks for. */
export interface CloudIdempotency {
  readonly key: string
  readonly credential: string
  readonly bodyHash: string
}

/** An accepted job. */
export interface SubmittedCloudJob {
  readonly id: string
  /** True when an earlier call with the same key made it. */
  readonly isReplay: boolean
}

/**
 * Accepts a cloud job: its row, the request for its workflow and the audit line in one transaction. Nothing is charged before
 * it begins. Throws `too_many_running_jobs`, `idempotency_key_reused`, `insufficient_scope` for a namespace outside of the
 * caller's, and `invalid_credential` when the tenant is deleted.
 */
export async function submitCloudJob(op: Operation, input: NewCloudJob): Promise<SubmittedCloudJob> {
  requireNamespace(op, input.namespace)
  return await op.write(async (tx) => {
    await requireLiveTenant(tx, op.tenantId)
    await lockInTransaction(tx, `cloud jobs ${op.tenantId}`)
    const known = await findRequest(tx, op, input)
    if (known !== null) return { id: known, isReplay: true }
    await inAllNamespaces(tx, 'the limit is of the whole tenant', async () => {
      await requireRoom(tx, op, input.limits)
    })
    const id = newId('cdj')
    const { idempotency } = input
    await tx.q
      .insertInto('cloud_jobs')
      .values({
        id,
        tenant_id: op.tenantId,
        namespace: input.namespace,
        recipe_id: input.recipeId,
        capture_window: input.captureWindow,
        capture_from: input.captureFrom,
        lane: input.lane,
        gpu_sku: input.gpuSku,
        vram_tier: input.vramTier,
        rate_usd_micros: input.rateUsdMicros,
        budget_usd_micros: input.budgetUsdMicros,
        provider_key_id: input.providerKeyId,
        base_model: input.baseModel,
        choices: json(input.choices),
        charged_to: json<JsonObject>({ ...input.chargedTo }),
        allows_sensitive: input.allowsSensitive,
        billing_token_hash: input.billingTokenHash,
        run_id: newId('run'),
        created_at: op.now(),
        idempotency_key: idempotency?.key ?? null,
        idempotency_credential: idempotency?.credential ?? null,
        idempotency_body_hash: idempotency?.bodyHash ?? null,
      })
      .execute()
    await requestStart(tx, CloudDistill, { cloudJobId: id, tenantId: op.tenantId, lane: input.lane })
    await recordAudit(tx, op, {
      action: 'cloud_job.submitted',
      target: id,
      payload: { job_id: id, namespace: input.namespace, lane: input.lane, gpu_sku: input.gpuSku },
    })
    return { id, isReplay: false }
  })
}

/** The caller's key, and how long keys are kept. */
type Keyed = Pick<NewCloudJob, 'idempotency' | 'limits'>

/**
 * Returns the job of an earlier call with the same key, before anything of this call is checked. Throws
 * `idempotency_key_reused` for another body.
 */
export async function findEarlierJob(op: Operation, keyed: Keyed): Promise<string | null> {
  const found = await findKeyed(op, op, keyed)
  return found === null || found.isExpired ? null : found.id
}

async function findRequest(tx: Transaction, op: Operation, keyed: Keyed): Promise<string | null> {
  const found = await findKeyed(tx, op, keyed)
  if (found === null || !found.isExpired) return found?.id ?? null
  await tx.q
    .updateTable('cloud_jobs')
    .set({ idempotency_key: null, idempotency_credential: null, idempotency_body_hash: null })
    .where('id', '=', found.id)
    .where('tenant_id', '=', op.tenantId)
    .execute()
  return null
}

async function findKeyed(from: Reader, op: Operation, { idempotency, limits }: Keyed) {
  if (idempotency === undefined) return null
  const { key, credential, bodyHash } = idempotency
  const [[row]] = await from.read((q) => [
    q
      .selectFrom('cloud_jobs')
      .select(['id', 'idempotency_body_hash as bodyHash', 'created_at as createdAt'])
      .where('tenant_id', '=', op.tenantId)
      .where('idempotency_key', '=', key)
      .where('idempotency_credential', '=', credential),
  ])
  if (row === undefined) return null
  const isExpired = row.createdAt <= keysCountAfter(limits, op.now())
  if (!isExpired && row.bodyHash !== bodyHash) throw keyReused()
  return { id: row.id, isExpired }
}

async function requireRoom(tx: Transaction, { tenantId }: Operation, limits: Limits): Promise<void> {
  const [[waiting]] = await tx.read((q) => [
    q
      .selectFrom('cloud_jobs')
      .select(q.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('settled_at', 'is', null),
  ])
  const max = limits.waiting_cloud_jobs_per_tenant
  const count = waiting?.count ?? 0
  if (count < max) return
  throw COMPILE_ERRORS.too_many_running_jobs(`${max} cloud jobs wait already`, {
    details: { running: count, max },
    retryAfterS: 60,
  })
}
