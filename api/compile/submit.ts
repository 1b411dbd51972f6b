import { invalidField, type DomainError, type ErrorCode } from '../../core/errors.ts'
import { hashJson, type JsonObject, type Sha256 } from '../../core/json.ts'
import type { Principal } from '../../db/keys/principal.ts'
import { createJob, type CreatedJob } from '../../db/jobs/create-job.ts'
import type { Operation } from '../../db/operation.ts'
import { chargedTo } from '../../db/usage/charged-to.ts'
import { idempotencyKeyFrom } from '../kernel/guard/idempotency.ts'
import type { CallFacts } from '../kernel/route.ts'
import { CHOICE_ERRORS, checkChoices, requireNegatives } from './choices.ts'
import { checkInline, EXAMPLE_ERRORS, type InlineExamples, storeInline, type StoredDataset } from './dataset.ts'
import type { CompileSpec } from './spec.ts'

/** Codes that every route which submits a compile may answer with. */
export const SUBMIT_ERRORS = [
  'no_examples',
  ...EXAMPLE_ERRORS,
  'quota_exhausted',
  'not_found',
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
export type SubmitCall = Pick<CallFacts, 'services' | 'request'> & {
  readonly op: Operation
  readonly principal: Principal
}

/** A compile with its examples inline. */
export interface InlineCompile extends InlineExamples {
  readonly route: string
  readonly spec: CompileSpec
}

/**
 * Checks and accepts a compile with inline examples, and starts its workflow when it is admitted. Nothing is stored
 * when a check fails. Throws what `checkInline` and `createJob` throw.
 */
export async function submitInline(call: SubmitCall, compile: InlineCompile): Promise<CreatedJob> {
  if (compile.examples.length === 0) throw invalidField('examples', 'must hold at least two examples', 'no_examples')
  const dataset = await checkInline(compile, call.services.limits)
  return await submit(call, compile.route, compile.spec, dataset.sha256, async () => {
    return await storeInline(call.services.db, dataset)
  })
}

/** Accepts a compile whose examples are stored already, and starts its workflow when it is admitted. */
export async function submitStored(
  call: SubmitCall,
  compile: { readonly route: string; readonly spec: CompileSpec; readonly dataset: StoredDataset },
): Promise<CreatedJob> {
  return await submit(call, compile.route, compile.spec, compile.dataset.sha256, async () => compile.dataset)
}

async function submit(
  call: SubmitCall,
  route: string,
  spec: CompileSpec,
  datasetSha256: Sha256,
  store: () => Promise<StoredDataset>,
): Promise<CreatedJob> {
  const { services, op, principal } = call
  const key = idempotencyKeyFrom(call.request.headers['idempotency-key'])
  const baseModel = await checkChoices(services, spec, op.now())
  const dataset = await store()
  requireNegatives(spec, dataset)
  const created = await createJob(op, {
    spec: { task: spec.task, baseModel, kScoreFloor: spec.k_score_floor, extra: choicesOf(spec) },
    datasetSha256: dataset.sha256,
    rowCount: dataset.rows,
    conceptId: spec.concept_id,
    plan: principal.plan,
    quota: principal.quota,
    chargedTo: chargedTo(principal),
    limits: services.limits,
    // The mode is how the caller waits, not what is compiled: a repeated call may ask for the other one.
    idempotency: key === undefined ? undefined : { route, key, bodyHash: hashCompile(spec, datasetSha256) },
  })
  if (created.isAdmitted) services.workflows.startAdmitted([created.job.id])
  return created
}

/** What is kept with the job of how it is to be compiled. */
function choicesOf({ corpus_namespace: namespace, recipe_kind: kind, trainer, lora }: CompileSpec): JsonObject {
  return {
    ...(namespace !== undefined && { corpus_namespace: namespace }),
    recipe_kind: kind,
    trainer,
    ...(lora !== undefined && { lora: JSON.parse(JSON.stringify(lora)) }),
  }
}

/** What an Idempotency-Key of a compile is bound to: everything that shapes the result. */
function hashCompile(spec: CompileSpec, datasetSha256: Sha256): Sha256 {
  return hashJson({
    task: spec.task,
    base_model: spec.base_model ?? null,
    ...choicesOf(spec),
    k_score_floor: spec.k_score_floor,
    concept_id: spec.concept_id ?? null,
    dataset: datasetSha256,
  })
}

/** `no_examples` for a call that brings neither examples nor a namespace to take them from. */
export function noExamples(): DomainError {
  return invalidField('examples', 'must hold at least two examples', 'no_examples')
}
