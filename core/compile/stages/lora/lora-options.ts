import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../../kernel/json/json.ts'
import type { Hyperparameters } from '../../../model/training/hyperparameters.ts'
import {
  defaultObjective,
  EXAMPLE_OBJECTIVES,
  type ExampleObjective,
  type ObjectiveSettings,
} from '../../../model/training/objectives/objective.ts'
import { Tolerances } from '../../rows/equality/tolerance.ts'
import { OnDoubtField, Risk } from '../../runtime/certificate/risk.ts'
import { RECIPE_KINDS, type RecipeKind } from '../../rows/task.ts'
import { DistilOptions } from './fit/distil-options.ts'

/** Kinds that a caller may request; `auto` lets the K-score decide. */
export const RECIPE_CHOICES = ['auto', ...RECIPE_KINDS] as const

/** Trainers of adapters: this service, or a worker with PEFT on its own queue. */
export const TRAINERS = ['embedded', 'peft'] as const
export type Trainer = (typeof TRAINERS)[number]

/** Places where an adapter may be fitted: one of the trainers, a rented machine, or a worker of the tenant's pool. */
export const FITTERS = [...TRAINERS, 'rented', 'pool'] as const
export type Fitter = (typeof FITTERS)[number]

/** Default base when none is named and no cheaper kind passes. */
export const DEFAULT_BASE = 'nano'

/** Value that disables adapters. */
export const NO_BASE = 'none'

/** Options for fitting an adapter, in the wire's names. Omitted ones are chosen from the rows and the base. */
export const LoraOptions = z.object({
  rank: z.int().min(4).max(64).optional().meta({ description: 'Rank of the two factors of each layer', example: 16 }),
  alpha: z
    .number()
    .positive()
    .max(1024)
    .optional()
    .meta({ description: 'The product of the factors counts alpha / rank' }),
  epochs: z.int().min(1).max(100).optional().meta({ description: 'Passes over the rows, at most' }),
  learning_rate: z.number().positive().max(1).optional().meta({ description: 'The highest learning rate' }),
  seed: z.int().min(0).max(4_294_967_295).optional().meta({ description: 'Same seed, same rows, same adapter' }),
  max_length: z.int().min(16).max(32_768).optional().meta({
    description: 'Maximum number of tokens of a row; longer inputs are cut from the left and listed',
  }),
  objective: z.enum(EXAMPLE_OBJECTIVES).optional().meta({
    description: '`dpo`, `simpo`, `orpo` and `kto` learn from examples of kind `negative` beside the others',
  }),
  beta: z.number().positive().max(1000).optional().meta({ description: 'Of `dpo`, `simpo` and `kto`' }),
  gamma_beta_ratio: z.number().min(0).max(100).optional().meta({ description: 'Of `simpo`' }),
  lambda: z.number().min(0).max(1000).optional().meta({ description: 'Of `orpo`' }),
  desirable_weight: z.number().positive().max(1000).optional().meta({ description: 'Of `kto`' }),
  undesirable_weight: z.number().positive().max(1000).optional().meta({ description: 'Of `kto`' }),
})
export type LoraOptions = z.output<typeof LoraOptions>

/** Form of the rows in an archive: as they are, or as digests. */
export const ROWS_FORMS = ['held', 'digests'] as const
export type RowsForm = (typeof ROWS_FORMS)[number]

/** A caller's choices for a job, as stored with it. */
export const CompileChoices = z.object({
  recipe_kind: z.enum(RECIPE_CHOICES).default('auto'),
  trainer: z.enum(FITTERS).default('embedded'),
  lora: LoraOptions.default({}),
  risk: Risk.optional(),
  on_doubt: OnDoubtField.optional(),
  tolerances: Tolerances.optional(),
  rows: z.enum(ROWS_FORMS).default('held'),
  distil: DistilOptions.optional(),
})
export type CompileChoices = z.output<typeof CompileChoices>

/** True for a fit on a machine that gets token ids of train rows and nothing else of the job. */
export function isFittedElsewhere(trainer: unknown): boolean {
  return trainer === 'rented' || trainer === 'pool'
}

/** The choices in the spec of a job; a job that was accepted before there were choices has the defaults. */
export function readChoices(spec: JsonObject): CompileChoices {
  return CompileChoices.parse(isJsonObject(spec) ? spec : {})
}

/** True for objectives that need answers which must not come. */
export function needsNegatives(objective: ExampleObjective): boolean {
  return objective !== 'supervised' && objective !== 'distillation'
}

/** Returns the settings of the requested objective. */
export function objectiveOf(options: LoraOptions): ObjectiveSettings {
  const settings = defaultObjective(options.objective ?? 'supervised')
  const beta = options.beta ?? ('beta' in settings ? settings.beta : 0)
  switch (settings.kind) {
    case 'supervised':
    case 'distillation':
    case 'kd':
    case 'gkd':
      return settings
    case 'dpo':
      return { ...settings, beta }
    case 'simpo':
      return { ...settings, beta, gammaBetaRatio: options.gamma_beta_ratio ?? settings.gammaBetaRatio }
    case 'orpo':
      return { ...settings, lambda: options.lambda ?? settings.lambda }
    case 'kto':
      return {
        ...settings,
        beta,
        desirableWeight: options.desirable_weight ?? settings.desirableWeight,
        undesirableWeight: options.undesirable_weight ?? settings.undesirableWeight,
      }
  }
}

/** The options as the trainer's overrides. An alpha that is not given follows the rank. */
export function hyperparameterOverrides(options: LoraOptions): Partial<Hyperparameters> {
  const { rank, alpha, epochs, learning_rate: learningRate, seed } = options
  return {
    objective: objectiveOf(options),
    ...(rank !== undefined && { rank, alpha: 2 * rank }),
    ...(alpha !== undefined && { alpha }),
    ...(epochs !== undefined && { epochs }),
    ...(learningRate !== undefined && { learningRate }),
    ...(seed !== undefined && { seed }),
  }
}

/** True when a recipe of this kind may come out. */
export function mayShip({ recipe_kind: choice }: Pick<CompileChoices, 'recipe_kind'>, kind: RecipeKind): boolean {
  return choice === 'auto' || choice === kind
}
