import type { AdapterEvidence } from '../../../../core/compile/stages/lora/adapter-evidence.ts'
import { TrainingFacts } from '../../../../core/compile/stages/lora/training-facts.ts'
import type { StageCost } from '../../../../core/compile/stages/stage-types.ts'
import { MODEL_ERRORS } from '../../../../core/model/errors.ts'
import { isJsonObject, type Json, type JsonObject, type Sha256 } from '../../../../core/kernel/json/json.ts'
import { lossCurveSvg } from '../../../../core/model/training/loss-curve.ts'
import type { FitSummary } from '../results.ts'
import type { FitPlan } from './fit-plan.ts'

/** Sources of an adapter's evidence. */
export interface EvidenceInput {
  readonly plan: FitPlan
  readonly fits: readonly FitSummary[]
  /** Of the shipped adapter, as its trainer wrote it. */
  readonly training: JsonObject
  /** Digest of the rows that the fit learned from. */
  readonly trainHash: Sha256
  /** Time spent on judging. */
  readonly wallMs: number
}

/**
 * Returns the evidence of a fit: its part of the archive, the report for the evaluation, and the cost of the stage.
 * Throws `invalid_adapter` when the trainer's report lacks its settings.
 */
export function trainingEvidence(input: EvidenceInput): {
  readonly evidence: AdapterEvidence
  readonly cost: StageCost
} {
  const { plan, fits, trainHash, wallMs } = input
  const parsed = TrainingFacts.safeParse(input.training)
  const last = fits.at(-1)
  if (!parsed.success || last === undefined) {
    throw MODEL_ERRORS.invalid_adapter('the trainer did not report how it trained', { cause: parsed.error })
  }
  const facts = parsed.data
  const steps = fits.reduce((sum, fit) => sum + fit.steps, 0)
  const { steps: trained, validation } = facts.history
  const curve = lossCurveSvg({ steps: trained, validations: validation })
  const document: JsonObject = {
    spec: 'svc-training-1',
    trainer: facts.trainer,
    base: { ...plan.recipe.base },
    objective: facts.objective,
    hyperparameters: plain(plan.hyperparameters),
    seed: plan.hyperparameters.seed,
    data: {
      train_hash: trainHash,
      input_hash: plan.fits.at(-1)?.inputSha256 ?? null,
      examples: plan.rows.examples,
      teacher_rows: plan.rows.teacher,
      rows: facts.rows.train,
      validation_rows: facts.rows.validation,
      truncated: plan.truncated.map(({ id, droppedTokens }) => ({ id, dropped_tokens: droppedTokens })),
    },
    folds: plan.fits.length - 1,
    history: plain(facts.history),
    steps: last.steps,
    best_step: last.bestStep,
    stopped_early: last.stoppedEarly,
    useful_tokens: facts.usefulTokens,
    tokens_per_second: facts.tokensPerSecond,
    seconds: facts.seconds,
    device: facts.device,
    versions: facts.versions,
  }
  return {
    evidence: {
      report: {
        status: 'fitted',
        code: null,
        reason: null,
        base: plan.recipe.base,
        trainer: facts.trainer,
        steps: last.steps,
        best_step: last.bestStep,
        stopped_early: last.stoppedEarly,
        loss: last.loss,
        validation_loss: last.validationLoss,
        tokens_per_second: facts.tokensPerSecond,
        training_rows: facts.rows.train,
        validation_rows: facts.rows.validation,
        teacher_rows: plan.rows.teacher,
        truncated_rows: plan.truncated.length,
        truncated: [],
      },
      members: { document, curve },
    },
    cost: {
      stage: 'lora-fit',
      status: 'done',
      reason: null,
      wall_ms: Math.round(facts.seconds * 1000) + wallMs,
      cpu_ms: 0,
      search_steps: 0,
      training_steps: steps,
      training_tokens: facts.usefulTokens,
      provider_tokens: 0,
      cost_usd: 0,
    },
  }
}

function plain(value: object): JsonObject {
  const copy: Json = JSON.parse(JSON.stringify(value))
  return isJsonObject(copy) ? copy : {}
}
