import { COMPILE_ERRORS, type ErrorCode } from '../../../core/compile/errors.ts'
import { invalidField, type DomainError } from '../../../core/kernel/errors.ts'
import { hashJson, type JsonObject, type Sha256 } from '../../../core/kernel/json/json.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { discardUpload } from '../../../db/kernel/blobs/uploads.ts'
import { createJob, findReplay, type CreatedJob, type LearnedJob } from '../../../db/compile/jobs/create-job.ts'
import { isKeyUsed } from '../../../db/compile/jobs/is-key-used.ts'
import { totalsOf } from '../../../db/compile/documents/recall/read-chunks.ts'
import { isNamespaceKnown } from '../../../db/gateway/namespaces/is-namespace-known.ts'
import type { NewRental } from '../../../db/compile/rentals/begin-rental.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { requireCompileUnits } from '../../../db/billing/quota/status.ts'
import { allowanceUsed, readAllowance, requireAllowance, type Allowance } from '../../../db/kernel/storage/allowance.ts'
import { stageBytes } from '../../../db/kernel/storage/stage-bytes.ts'
import { chargedTo } from '../../../db/billing/usage/charged-to.ts'
import { claimantOf, idempotencyKeyFrom } from '../../kernel/guard/idempotency.ts'
import type { CallFacts } from '../services.ts'
import { refuseSealed } from './refuse-sealed.ts'
import { CHOICE_ERRORS, checkChoices, requireNegatives, type SubmittedSpec } from './choices.ts'
import { countRows } from '../../../core/compile/wire/given-rows.ts'
import type { GivenExamples } from '../intake/intake.ts'
import { datasetInMemory, EXAMPLE_ERRORS, type CheckedDataset } from './dataset.ts'
import type { UsedDataset } from '../../../core/compile/wire/jobs/dataset.ts'
import type { CompileSpec } from '../../../core/compile/wire/jobs/spec.ts'
import { requireHook, requireUnwaited } from './deploy-hook.ts'
import { readUpload } from './upload.ts'

/** Codes that every route which submits a compile may answer with. */
export const SUBMIT_ERRORS = [
  'no_examples',
  'unknown_namespace',
  ...EXAMPLE_ERRORS,
  'quota_exhausted',
  'storage_allowance_used',
  'compute_exhausted',
  'sealed_rows',
  'not_found',
  'webhook_address_refused',
  ...CHOICE_ERRORS,
] as const satisfies readonly ErrorCode[]

/** Codes of a compile that a caller waited for. */
export const WAIT_ERRORS = [
  'k_score_below_floor',
  'evaluation_incomplete',
  'train_holdout_leakage',
  'compile_cancelled',
  'compile_failed',
] as const satisfies readonly ErrorCode[]

/** The facts of an authenticated call that submits a compile. */
export type SubmitCall = Pick<CallFacts, 'services' | 'request' | 'caller'> & {
  readonly op: Operation
  readonly principal: Principal
}

/** A compile with its examples inline. */
export interface InlineCompile extends GivenExamples {
  readonly route: string
  readonly spec: CompileSpec
}

/**
 * Checks and accepts a compile with inline examples, and starts its workflow when it is admitted. Nothing is stored
 * when a check fails. Throws what `checkInline`, `requireIntake`, `stageBytes` and `createJob` throw.
 */
export async function submitInline(call: SubmitCall, compile: InlineCompile): Promise<CreatedJob> {
  if (countRows(compile.examples) === 0) {
    throw invalidField('examples', 'must have at least two examples', COMPILE_ERRORS.no_examples)
  }
  const dataset = await call.services.intake.dataset({ ...compile, tolerances: compile.spec.tolerances }, call.caller)
  return await submit(call, { ...compile, dataset: datasetInMemory(dataset) })
}

/** Reads an upload and accepts it as a compile. A refused upload leaves nothing stored. */
export async function submitUpload(
  call: SubmitCall,
  route: string,
): Promise<{ readonly spec: CompileSpec; readonly created: CreatedJob }> {
  const { services, op } = call
  // A body that does not announce its size may have any.
  const announcedBytes = Number(call.request.headers['content-length'] ?? services.limits.upload_bytes)
  const { limitBytes, usedBytes } = await requireIntake(call, route, announcedBytes)
  const { spec, dataset } = await readUpload(call.request, {
    limits: services.limits,
    intake: services.intake,
    spool: services.spool,
    caller: call.caller,
    bounds: {
      tenantId: op.tenantId,
      uploadBytes: services.limits.upload_bytes,
      tenantBytes: limitBytes - usedBytes,
      refuse: (bytes) => allowanceUsed({ limitBytes, usedBytes }, bytes),
    },
    async checkSpec(given) {
      await checkChoices(services, given, op.now())
      if (given.corpus_namespace !== undefined) await requireKnown(op, given.corpus_namespace, 'corpus_namespace')
    },
  })
  try {
    return { spec, created: await submit(call, { route, spec, dataset }) }
  } finally {
    await dataset.release()
  }
}

/**
 * Refuses a compile that its tenant has no units or no bytes left for, before anything of it is stored. A call that
 * repeats one with its Idempotency-Key stores nothing new and passes.
 */
export async function requireIntake(call: SubmitCall, route: string, expectedBytes: number): Promise<Allowance> {
  const { services, op, principal } = call
  const { limits } = services
  const key = idempotencyKeyFrom(call.request.headers['idempotency-key'])
  if (key !== undefined && (await isKeyUsed(op, { route, key, credential: claimantOf(principal), limits }))) {
    return { ...(await readAllowance(op, limits)), usedBytes: 0 }
  }
  await requireCompileUnits(op, { plan: principal.plan, quota: principal.quota, limits })
  return await requireAllowance(op, limits, expectedBytes)
}

/** A compile whose examples are checked. */
export interface CheckedCompile {
  readonly route: string
  readonly spec: SubmittedSpec
  readonly dataset: CheckedDataset
  /** The job whose examples this one compiles again. */
  readonly earlierJob?: string
  /** Where examples are captures. */
  readonly learned?: LearnedJob
  /** The version of a dataset whose rows these are. */
  readonly usedDataset?: Omit<UsedDataset, 'run_id'>
  /** The digest that an Idempotency-Key covers in place of the examples, where these are not part of the call. */
  readonly asked?: Sha256
  /** Makes the rental of the examples; asked once, for a call that is no repetition. */
  readonly rent?: (dataset: CheckedDataset) => Promise<NewRental>
}

/**
 * Accepts a compile of checked examples. Throws what `checkChoices`, `requireKnown`, `requireIntake` and `createJob` throw.
 */
export async function submit(
  call: SubmitCall,
  { route, spec, dataset, earlierJob, learned, asked, usedDataset, rent }: CheckedCompile,
): Promise<CreatedJob> {
  const { services, op, principal } = call
  const { limits } = services
  const { unanswered, members, inputColumn } = dataset
  const baseModel = await checkChoices(services, spec, op.now())
  const { corpus_namespace: namespace } = spec
  // A job that is compiled again stays in its namespace, whatever was stored there since; that of a dataset exists.
  if (namespace !== undefined && earlierJob === undefined && usedDataset === undefined)
    await requireKnown(op, namespace, 'corpus_namespace')
  requireNegatives(spec, dataset)
  requireUnwaited(spec)
  const idempotency = idempotencyOf(call, route, hashCompile(spec, asked ?? dataset.sha256))
  const known = await findReplay(op, { idempotency, limits })
  if (known !== null) return known
  if (spec.deploy_hook !== undefined) await requireHook(services, spec.deploy_hook)
  await requireIntake(call, route, dataset.sizeBytes)
  await refuseSealed(call, dataset)
  const rental = await rent?.(dataset)
  services.storage.take(dataset.sizeBytes)
  const staged = await stageBytes(op, dataset, limits)
  let created: CreatedJob | undefined
  try {
    created = await createJob(op, {
      spec: {
        task: spec.task,
        baseModel,
        kScoreFloor: spec.k_score_floor,
        extra: {
          ...choicesOf(spec),
          ...(earlierJob !== undefined && { earlier_job: earlierJob }),
          ...(usedDataset !== undefined && { dataset: { ...usedDataset } }),
          ...(members !== null && { members: { input: [...members.input], output: [...members.output] } }),
          ...(inputColumn !== undefined && { input_column: inputColumn }),
          ...(unanswered.count > 0 && { unanswered: { count: unanswered.count, lines: [...unanswered.lines] } }),
        },
      },
      datasetSha256: staged.sha256,
      staged,
      rowCount: dataset.rows,
      learned,
      rental,
      conceptId: spec.concept_id,
      plan: principal.plan,
      quota: principal.quota,
      chargedTo: chargedTo(principal),
      deployHook: spec.deploy_hook,
      limits,
      idempotency,
    })
  } finally {
    // Of a refused compile, and of one that another call with the same key made meanwhile, no byte stays.
    if (created === undefined || created.isReplay) await discardStaged(call, staged.storageId)
  }
  return created
}

/** Throws `unknown_namespace` for a namespace in which nothing was stored, and `insufficient_scope` for one of others. */
export async function requireKnown(op: Operation, namespace: string, field: string): Promise<void> {
  if (await isNamespaceKnown(op, namespace)) return
  if ((await totalsOf(op, namespace)).documents > 0) return
  throw invalidField(
    field,
    'is not a known namespace: it exists once a call was captured in it, a document was indexed in it, or it has settings',
    COMPILE_ERRORS.unknown_namespace,
  )
}

/** Returns what names a repeated call; undefined for a call without a key. */
export function idempotencyOf({ request, principal }: SubmitCall, route: string, bodyHash: Sha256) {
  const key = idempotencyKeyFrom(request.headers['idempotency-key'])
  return key === undefined ? undefined : { route, key, credential: claimantOf(principal), bodyHash }
}

/** A discard that fails is left to housekeeping, and must not hide why the compile was refused. */
async function discardStaged({ services, op }: SubmitCall, storageId: string): Promise<void> {
  await discardUpload(op.db, storageId).catch((error: unknown) => {
    services.log.warn({ err: error }, 'a refused upload could not be discarded; housekeeping collects it')
  })
}

/** Returns the choices of a spec that are stored with the job; `base_model` as the caller named it. */
function choicesOf(spec: SubmittedSpec): JsonObject {
  const {
    corpus_namespace: namespace,
    base_model: baseModel,
    recipe_kind: kind,
    trainer,
    lora,
    rows,
    questions,
    risk,
    on_doubt: onDoubt,
    tolerances,
  } = spec
  return {
    ...(namespace !== undefined && { corpus_namespace: namespace }),
    ...(baseModel !== undefined && { base_model: baseModel }),
    recipe_kind: kind,
    ...(rows !== 'held' && { rows }),
    trainer,
    ...(lora !== undefined && { lora: JSON.parse(JSON.stringify(lora)) }),
    ...(questions !== undefined && questions.max > 0 && { questions }),
    ...(risk !== undefined && { risk: { ...risk } }),
    ...(onDoubt !== undefined && { on_doubt: onDoubt }),
    ...(tolerances !== undefined && tolerances.length > 0 && { tolerances: JSON.parse(JSON.stringify(tolerances)) }),
  }
}

/**
 * Returns the hash that an Idempotency-Key of a compile is bound to: it covers everything that shapes the result. The mode
 * is how the caller waits, not what is compiled: a repeated call may ask for the other one.
 */
export function hashCompile(spec: SubmittedSpec, datasetSha256: Sha256): Sha256 {
  return hashJson({
    task: spec.task,
    base_model: spec.base_model ?? null,
    ...choicesOf(spec),
    k_score_floor: spec.k_score_floor,
    concept_id: spec.concept_id ?? null,
    ...(spec.deploy_hook !== undefined && { deploy_hook: spec.deploy_hook }),
    dataset: datasetSha256,
  })
}

/** `no_examples` for a call that brings neither examples nor a namespace to take them from. */
export function noExamples(field = 'examples'): DomainError {
  return invalidField(field, 'must have at least two examples', COMPILE_ERRORS.no_examples)
}
