import type { GuardedResult } from '../../../core/compile/runtime/guard.ts'
import type { RecipeAnswer, TokenUsage } from '../../../core/compile/runtime/start-recipe.ts'
import { RUNTIME_VERSION } from '../../../core/kernel/version.ts'
import { KERNEL_ERRORS, isOneOf } from '../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { signRunReceipt, type SignedRunReceipt } from '../../../core/ledger/receipts/run-receipt.ts'
import { canonicalJson, sha256, type Json, type Sha256 } from '../../../core/kernel/json/json.ts'
import type { RunTarget } from '../../../db/compile/concepts/find-runnable.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { boundsOf } from '../../../db/kernel/namespaces/bounds.ts'
import { chargedTo } from '../../../db/billing/usage/charged-to.ts'
import type { WhenKept } from '../../kernel/guard/idempotency.ts'
import type { CompileServices } from '../services.ts'
import type { BasedRecipe } from './recipe-cache.ts'
import type { CachedAnswer } from './response-cache.ts'

/** One call of a recipe. */
export interface RunRequest {
  readonly target: RunTarget
  readonly input: Json
  readonly useCache: boolean
  readonly wantsReceipt: boolean
  /** Returns a signal that cancels the call when the caller disconnects. */
  readonly hangUp: () => AbortSignal
  /** The call is charged and counted when its answer stands. */
  readonly whenKept: WhenKept
}

/** The tenant that a run is charged to, and what of it is in reach. */
export type RunCaller = Pick<Principal, 'tenantId' | 'plan' | 'quota' | 'scopes' | 'teamId' | 'memberId'>

/** The outcome of a run. */
export interface RunOutcome {
  readonly result: GuardedResult
  readonly conceptId: string
  readonly versionId: string
  readonly latencyUs: number
  readonly isCacheHit: boolean
  /** The cost of generating; null where nothing was generated. */
  readonly usage: TokenUsage | null
  readonly receipt: SignedRunReceipt | null
}

/** Codes of calls that never reached the recipe, so they do not count for its statistics. */
const NOT_ANSWERED = [MODEL_ERRORS.model_busy, KERNEL_ERRORS.request_timeout]

/**
 * Runs a recipe of the caller's tenant on one input, in this process and without a write to the database: quota comes
 * out of a leased block, statistics are summed up in memory. A cached answer costs no units. Throws `not_found`,
 * `artifact_revoked`, `quota_exhausted`, and `recipe_failed` when the recipe has no answer, which gives the units back. An adapter throws
 * `base_not_installed`, `base_mismatch` and `base_does_not_fit` before anything is charged, `model_busy`, and
 * `request_timeout` when the caller disconnected.
 */
export async function runRecipe(
  services: CompileServices,
  principal: RunCaller,
  request: RunRequest,
): Promise<RunOutcome> {
  const startedAt = performance.now()
  const { tenantId } = principal
  const { runnable, recipe, guard, artifactHash } = await services.recipes.load(
    tenantId,
    request.target,
    boundsOf(principal),
  )
  const { conceptId, versionId } = runnable
  const inputHash = sha256(canonicalJson(request.input))
  const known = request.useCache ? services.responses.find(versionId, inputHash) : undefined

  let answer = known
  let usage: TokenUsage | null = null
  let refund: (() => void) | undefined
  if (!answer) {
    if (recipe.kind === 'lora') await recipe.runner.ready()
    const units = services.limits.quota_units_per_run
    const charge = await services.meter.take(principal, units)
    refund = () => charge.refund()
    try {
      if (recipe.kind === 'pure') answer = compute(guard(request.input, recipe.runner.run(request.input)))
      else {
        const generated = await generate(services, recipe, request)
        usage = generated.usage
        answer = compute(guard(request.input, generated.result))
      }
    } catch (error) {
      charge.refund()
      if (!isOneOf(error, NOT_ANSWERED)) {
        const latencyUs = microsecondsSince(startedAt)
        services.invocations.record({ tenantId, conceptId, versionId, latencyUs, isCacheHit: false, isFailed: true })
      }
      throw withVersion(error, versionId)
    }
    if (request.useCache) services.responses.keep(versionId, inputHash, answer)
  }

  const latencyUs = microsecondsSince(startedAt)
  const isCacheHit = known !== undefined
  const call = {
    tenantId,
    conceptId,
    versionId,
    latencyUs,
    isCacheHit,
    isFailed: false,
    usage,
    ...(!isCacheHit && { charge: { units: services.limits.quota_units_per_run, to: chargedTo(principal) } }),
  }
  request.whenKept(() => services.invocations.record(call), refund)
  const receipt = request.wantsReceipt
    ? await sign(services, tenantId, {
        inputHash,
        outputHash: answer.outputHash,
        versionId,
        sourceHash: artifactHash,
        isCacheHit,
        latencyUs,
      })
    : null
  return { result: answer.result, conceptId, versionId, latencyUs, isCacheHit, usage, receipt }
}

async function generate(
  { metrics }: CompileServices,
  { runner, baseName }: BasedRecipe,
  { input, hangUp }: RunRequest,
): Promise<RecipeAnswer> {
  const answer = await runner.run(input, { signal: hangUp() })
  if (answer.usage !== null) metrics.observeGeneration(baseName, answer.usage)
  return answer
}

function compute(result: GuardedResult): CachedAnswer {
  const text = canonicalJson(result.output)
  return { result, outputHash: sha256(text), sizeBytes: text.length * 2 }
}

async function sign(
  services: CompileServices,
  tenantId: string,
  facts: {
    readonly inputHash: Sha256
    readonly outputHash: Sha256
    readonly versionId: string
    readonly sourceHash: Sha256
    readonly isCacheHit: boolean
    readonly latencyUs: number
  },
): Promise<SignedRunReceipt> {
  const { keyId, secret } = await services.receiptSecrets.current(tenantId)
  return signRunReceipt(
    {
      inputHash: facts.inputHash,
      outputHash: facts.outputHash,
      versionId: facts.versionId,
      runtimeVersion: RUNTIME_VERSION,
      issuedAt: services.now(),
      sourceHash: facts.sourceHash,
      cacheHit: facts.isCacheHit,
      latencyUs: facts.latencyUs,
    },
    { macKey: { keyId, secret }, signingKey: services.signingKeys.current },
  )
}

function microsecondsSince(startedAt: number): number {
  return Math.max(1, Math.round((performance.now() - startedAt) * 1000))
}

/** Names the version in the error of a recipe; what is no error of the recipe stays as it is. */
function withVersion(error: unknown, versionId: string): unknown {
  if (!MODEL_ERRORS.recipe_failed.matches(error)) return error
  return MODEL_ERRORS.recipe_failed(error.message, {
    details: { ...error.details, version_id: versionId },
    cause: error,
  })
}
