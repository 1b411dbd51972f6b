import { KERNEL_ERRORS, type DomainError } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../errors.ts'
import { TARGET_MODULES, type LoraAdapter } from '../../files/lora-adapter.ts'
import type { Bucket } from '../../llama/batch.ts'
import { estimateTrainingBytes } from '../../llama/memory-estimate.ts'
import { trainableParameters, type LoraTrainable } from '../../llama/parameters.ts'
import type { EngineVariant } from '../../llama/engine/training-engine.ts'
import type { Scoring } from '../../llama/scoring.ts'
import { chooseBuckets, sizeOf } from '../data/buckets.ts'
import { unitsFor } from '../data/units.ts'
import { splitForValidation } from '../data/validation-split.ts'
import { parseHyperparameters, type Hyperparameters } from '../hyperparameters.ts'
import type { FitRow, Unit } from '../rows.ts'
import type { FitInput } from './fit-types.ts'
import { roomForAnswers, scoringOf, teachingBytes } from './plan-teaching.ts'

/** A fit that is known to be possible. */
export interface FitPlan {
  readonly hyperparameters: Hyperparameters
  readonly trainable: LoraTrainable
  readonly rows: { readonly train: readonly FitRow[]; readonly validation: readonly FitRow[] }
  readonly units: readonly Unit[]
  readonly validation: readonly Unit[]
  readonly buckets: readonly Bucket[]
  readonly scoring: Scoring
  /** Most tokens of a prompt with its answer. */
  readonly maxLength: number
  readonly variant: EngineVariant
  readonly estimatedBytes: number
}

/** Moments, the best values so far and the copy that a checkpoint is, in arrays as long as the trained numbers. */
const ARRAYS_BESIDE_THE_ENGINE = 2 + 1 + 4

/**
 * Checks a fit and decides how it is computed. Throws `validation_failed` for hyper-parameters and rows,
 * `teacher_vocab_mismatch`, `no_training_rows`, and `base_does_not_fit` with `neededBytes` and `availableBytes` when even
 * the variant that takes least memory takes more than the budget.
 */
export function planFit(input: Omit<FitInput, 'checkpoint'>): FitPlan {
  const hyperparameters = parseHyperparameters(input.hyperparameters)
  const { rank, alpha, objective, validationShare, seed, batchTokens } = hyperparameters
  const { config } = input.base
  const contextLength = Math.min(config.contextLength, input.teacher?.config.contextLength ?? Infinity)
  const maxLength = Math.min(hyperparameters.maxLength, contextLength)
  const rows =
    input.validation === undefined
      ? splitForValidation(input.rows, validationShare, seed)
      : { train: input.rows, validation: input.validation }
  if (rows.train.length === 0) throw MODEL_ERRORS.no_training_rows('there are no rows to train on')
  if (rows.train.every(({ weight }) => weight === 0)) {
    throw MODEL_ERRORS.no_training_rows('every row to train on has the weight 0')
  }
  const units = unitsFor(rows.train, objective.kind, maxLength)
  const validation = unitsFor(rows.validation, objective.kind, maxLength)
  const scoring = scoringOf(input, objective, [...rows.train, ...rows.validation])
  const sizes = [...units, ...validation].map(sizeOf)
  const chosen = chooseBuckets(sizes, { batchTokens, hiddenSize: config.hiddenSize })
  const buckets = roomForAnswers(chosen, units, hyperparameters, maxLength)
  checkStart(input.start, hyperparameters)
  const targetModules = TARGET_MODULES.filter((module) => hyperparameters.targetModules.includes(module))
  const trainable = { mode: 'lora', rank, alpha, targetModules } as const
  const numbers = trainableParameters(config, trainable).reduce((sum, { size }) => sum + size, 0)
  const beside = ARRAYS_BESIDE_THE_ENGINE * 4 * numbers + teachingBytes(input, objective, scoring, buckets, maxLength)
  // Steps of a warm-up have graphs of their own.
  const computed = objective.kind === 'gkd' && objective.warmup > 0 ? [...buckets, ...buckets] : buckets
  const bytesOf = (variant: EngineVariant): number =>
    estimateTrainingBytes(config, trainable, computed, variant) + beside
  const variant = bytesOf('whole') <= input.memoryBudgetBytes ? 'whole' : 'layers'
  const estimatedBytes = bytesOf(variant)
  if (estimatedBytes > input.memoryBudgetBytes) throw doesNotFit(input, estimatedBytes)
  return { hyperparameters, trainable, rows, units, validation, buckets, scoring, maxLength, variant, estimatedBytes }
}

/** An adapter keeps its shape while it is trained. Throws `validation_failed`. */
function checkStart(start: LoraAdapter | undefined, { rank, alpha, targetModules }: Hyperparameters): void {
  if (start === undefined) return
  const { config } = start
  const isSame =
    config.rank === rank &&
    config.alpha === alpha &&
    config.targetModules.length === targetModules.length &&
    config.targetModules.every((module) => targetModules.includes(module))
  if (isSame) return
  throw KERNEL_ERRORS.validation_failed(
    `the adapter to go on from has rank ${config.rank}, alpha ${config.alpha} and ${config.targetModules.length} modules; the fit asks for others`,
  )
}

function doesNotFit({ base, memoryBudgetBytes }: Omit<FitInput, 'checkpoint'>, neededBytes: number): DomainError {
  const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`
  return MODEL_ERRORS.base_does_not_fit(
    `training on ${base.name} needs about ${mebibytes(neededBytes)} of memory, and ${mebibytes(memoryBudgetBytes)} are available`,
    { details: { neededBytes, availableBytes: memoryBudgetBytes } },
  )
}
