import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { JsonObject, Sha256 } from '../../../core/kernel/json/json.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireCompute } from '../compute/allowance.ts'
import { publishUpload, type StagedBlob } from '../../kernel/blobs/uploads.ts'
import { ConceptEntity } from '../concepts/concept.ts'
import { namespaceOfConcept, requireConceptInBounds } from '../concepts/concept-bounds.ts'
import { postEvents } from '../progress/events/append-event.ts'
import { isUniqueViolation } from '../../kernel/faults/failures.ts'
import { withdrawStart } from '../../kernel/outbox/outbox.ts'
import {
  keyReused,
  keysCountAfter,
  ownerUnknown,
  UNKNOWN_CREDENTIAL,
  type RequestName,
} from '../../kernel/idempotency/claims.ts'
import { namespaceForNew } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json, rowInsert } from '../../kernel/queries/typed.ts'
import { periodOf } from '../../billing/quota/period.ts'
import { takeWithRecall } from '../../billing/quota/recall.ts'
import { reserveCompile } from './quota/reservation.ts'
import { repeatWebhookSecret } from '../../accounts/webhooks/find-webhook.ts'
import { setWebhook } from '../../accounts/webhooks/set-webhook.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import { inAllNamespaces, type Transaction } from '../../kernel/transaction.ts'
import type { ChargedTo } from '../../billing/usage/charged-to.ts'
import { admitInTransaction } from './start/admission.ts'
import type { CompileJob } from './compile-job.ts'
import { inheritForgotten } from './captures/inherit-forgotten.ts'
import { recordUses, type LearnedExamples } from './captures/record-uses.ts'
import { deploySubject } from './deploy-subject.ts'
import { insertRental, type NewRental } from '../rentals/begin-rental.ts'
import { findJob } from './find-job.ts'

/** The compile to make. The rows are in a blob already, or are staged for one. */
export interface CreateJobInput {
  readonly jobId?: string
  readonly spec: {
    readonly task: string
    readonly baseModel: string
    readonly kScoreFloor: number
    /** Other options of the caller, as validated. */
    readonly extra: JsonObject
  }
  readonly datasetSha256: Sha256
  /** The rows, when they are not published yet: they become visible with the job or never. */
  readonly staged?: StagedBlob
  readonly rowCount: number
  /** Where examples are captures; absent where none are. */
  readonly learned?: LearnedJob | undefined
  /** The machine that its adapter is fitted on; absent where none is rented. */
  readonly rental?: NewRental | undefined
  /** Makes a new version of this concept. */
  readonly conceptId?: string | undefined
  readonly plan: PlanId
  /** Overrides the plan's units per month; null without an override. */
  readonly quota: number | null
  readonly chargedTo: ChargedTo
  readonly limits: Limits
  /** The checked https address that is notified of the artifact. */
  readonly deployHook?: string | undefined
  readonly idempotency?: CreateJobIdempotency | undefined
  /** True for a job that another workflow starts as its child when it is admitted at once: then no start is requested here. */
  readonly isChild?: boolean
}

/** Captures among the examples of a job. */
export interface LearnedJob extends LearnedExamples {
  /** Facts of them for `spec.captures`, to which the numbers of those used are added. */
  readonly facts: JsonObject
}

/** The caller's Idempotency-Key with the route and the digest of the body it came with. */
export interface CreateJobIdempotency extends RequestName {
  readonly bodyHash: string
}

/** The job, whether it may start at once, and whether an earlier call with the same key made it. */
export interface CreatedJob {
  readonly job: CompileJob
  /** True when its workflow is requested; otherwise it waits for its tenant's turn. */
  readonly isAdmitted: boolean
  readonly isReplay: boolean
  /** Signs the message to the deploy hook; null without a hook, and once its delivery has ended. */
  readonly hookSecret: string | null
}

/**
 * Accepts a compile: job, first event, quota reservation, admission with its request for a workflow, and audit row in
 * one transaction. The Idempotency-Key is stored on the job itself, so a caller that repeats the call after a crash
 * gets the job of the first call. Throws `quota_exhausted`, `compute_exhausted`, `idempotency_key_reused`, `not_found`
 * for a concept that is another tenant's or outside the caller's namespaces, `capture_forgotten` for an example whose
 * capture was forgotten meanwhile, and `invalid_credential` when the tenant is deleted.
 */
export async function createJob(op: Operation, input: CreateJobInput): Promise<CreatedJob> {
  const known = await findReplay(op, input)
  if (known !== null) return known
  try {
    const { id, isAdmitted, hookSecret } = await takeWithRecall(
      op.db,
      { tenantId: op.tenantId, period: periodOf(op.now()) },
      async () => await op.write(async (tx) => await insertJob(tx, op, input)),
    )
    return { job: await findJob(op, id), isAdmitted, isReplay: false, hookSecret }
  } catch (error) {
    if (!isUniqueViolation(error, 'compile_jobs_idempotency')) throw error
    const first = await findReplay(op, input)
    if (first === null) throw error
    return first
  }
}

/**
 * Returns the job of an earlier call with the same key and body; null for a new one, or without a key. Throws
 * `idempotency_key_reused`.
 */
export async function findReplay(
  op: Operation,
  input: Pick<CreateJobInput, 'idempotency' | 'limits'>,
): Promise<CreatedJob | null> {
  if (input.idempotency === undefined) return null
  const { route, key, credential, bodyHash } = input.idempotency
  const [row] = await op.read((q) =>
    q
      .selectFrom('compile_jobs')
      .select([
        'id',
        'idempotency_body_hash as hash',
        'idempotency_credential as credential',
        'created_at as createdAt',
      ])
      .where('tenant_id', '=', op.tenantId)
      .where('idempotency_route', '=', route)
      .where('idempotency_key', '=', key)
      .where('idempotency_credential', 'in', [credential, UNKNOWN_CREDENTIAL])
      .orderBy('idempotency_credential')
      .limit(1),
  )
  if (row === undefined) return null
  if (row.createdAt <= keysCountAfter(input.limits, op.now())) {
    await op.write(async (tx) => {
      await tx.q
        .updateTable('compile_jobs')
        .set({
          idempotency_route: null,
          idempotency_key: null,
          idempotency_body_hash: null,
          idempotency_credential: null,
        })
        .where('id', '=', row.id)
        .where('tenant_id', '=', op.tenantId)
        .execute()
    })
    return await findReplay(op, input)
  }
  if (row.credential === UNKNOWN_CREDENTIAL) throw ownerUnknown()
  if (row.hash !== bodyHash) throw keyReused()
  const job = await findJob(op, row.id)
  const hookSecret = await repeatWebhookSecret(op, deploySubject({ tenantId: op.tenantId, jobId: row.id }))
  return { job, isAdmitted: false, isReplay: true, hookSecret }
}

const insertRow = rowInsert('compile_jobs', [
  'id',
  'tenant_id',
  'task',
  'base_model',
  'k_score_floor',
  'spec',
  'dataset_hash',
  'dataset_sha256',
  'row_count',
  'status',
  'stage',
  'progress',
  'concept_id',
  'cost_usd_micros',
  'created_at',
  'event_seq',
  'idempotency_route',
  'idempotency_key',
  'idempotency_body_hash',
  'idempotency_credential',
])

async function insertJob(
  tx: Transaction,
  op: Operation,
  input: CreateJobInput,
): Promise<Pick<CreatedJob, 'isAdmitted' | 'hookSecret'> & { readonly id: string }> {
  const now = op.now()
  const id = input.jobId ?? newId('cmp')
  await requireLiveTenant(tx, op.tenantId)
  await inAllNamespaces(tx, 'the allowance is of the whole tenant', async () => {
    await requireCompute(tx, { tenantId: op.tenantId, limits: input.limits, now })
  })
  if (input.staged !== undefined) await publishUpload(tx, input.staged)
  const { conceptId } = input
  if (conceptId !== undefined) {
    await requireConceptInBounds(tx, op, conceptId)
    const concept = await tx.em.findOne(ConceptEntity, { id: conceptId, deletedAt: null })
    if (concept === null) throw KERNEL_ERRORS.not_found('no such concept')
  }
  const { corpus_namespace: asked } = input.spec.extra
  const namespace = namespaceForNew(op, {
    namespace: typeof asked === 'string' ? asked : null,
    continued: conceptId === undefined ? null : await namespaceOfConcept(tx, conceptId),
  })
  const spec: JsonObject = { ...input.spec.extra, ...(namespace !== null && { corpus_namespace: namespace }) }
  tx.post(
    insertRow({
      id,
      tenant_id: op.tenantId,
      task: input.spec.task,
      base_model: input.spec.baseModel,
      k_score_floor: input.spec.kScoreFloor,
      spec: JSON.stringify(spec),
      dataset_hash: input.datasetSha256,
      dataset_sha256: input.datasetSha256,
      row_count: input.rowCount,
      status: 'queued',
      stage: 'queued',
      progress: 0,
      concept_id: input.conceptId ?? null,
      cost_usd_micros: 0,
      created_at: now,
      event_seq: 0,
      idempotency_route: input.idempotency?.route ?? null,
      idempotency_key: input.idempotency?.key ?? null,
      idempotency_body_hash: input.idempotency?.bodyHash ?? null,
      idempotency_credential: input.idempotency?.credential ?? null,
    }),
  )
  if (input.learned !== undefined) {
    const { used, others } = await recordUses(tx, { tenantId: op.tenantId, jobId: id }, input.learned)
    const captures = { ...input.learned.facts, used, other_examples: others }
    if (used > 0) {
      tx.post(
        tx.q
          .updateTable('compile_jobs')
          .set({ spec: json<JsonObject>({ ...spec, captures }) })
          .where('id', '=', id),
      )
    }
  }
  if (spec['distil'] !== undefined) await inheritForgotten(tx, { tenantId: op.tenantId, jobId: id, now })
  const hookSecret =
    input.deployHook === undefined
      ? null
      : await setWebhook(tx, op.db, {
          ...deploySubject({ tenantId: op.tenantId, jobId: id }),
          url: input.deployHook,
          namespace,
          now,
        })
  if (input.rental !== undefined) await insertRental(tx, op, id, input.rental)
  postEvents(tx, id, [{ kind: 'step.start', body: { step: 'queued', status: 'running' } }], now)
  // From here on the transactions of one tenant run one after another, so slow work belongs above.
  const admitted = await admitInTransaction(tx, { tenantId: op.tenantId, limits: input.limits, now })
  if (input.isChild === true) withdrawStart(tx, id)
  await reserveCompile(tx, {
    tenantId: op.tenantId,
    jobId: id,
    plan: input.plan,
    quota: input.quota,
    chargedTo: input.chargedTo,
    limits: input.limits,
    now,
  })
  await recordAudit(tx, op, {
    action: 'compile.created',
    target: id,
    payload: {
      job_id: id,
      base_model: input.spec.baseModel,
      examples_n: input.rowCount,
      ...(hookSecret !== null && { deploy_hook_set: true }),
    },
  })
  return { id, isAdmitted: admitted.includes(id), hookSecret }
}
