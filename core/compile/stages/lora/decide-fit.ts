import { NO_BASE, type CompileChoices } from './lora-options.ts'

/** Number of distinct rows below which an adapter is fitted only on request. */
export const LEAST_ROWS = 20

/** Reasons for not fitting an adapter, by code. */
export const LORA_SKIP_REASONS = {
  cheaper_recipe_passes: 'a cheaper recipe reaches the floor, so no adapter is needed',
  kind_not_asked_for: 'another kind of recipe was asked for',
  no_base_model: 'the base model is “none”, so no adapter was asked for',
  numbers_are_estimated: 'the outputs are numbers, which a tabular model estimates, and no adapter was asked for',
  too_few_rows: `fewer than ${LEAST_ROWS} different rows, and no adapter was asked for`,
  too_few_to_hold_out: 'fewer than 3 different rows: two must stay out to score the adapter, and one is learned from',
  base_not_installed: 'the base model is not installed here',
  no_trainer_installed: 'no trainer of the kind that was asked for is listening',
  mixed_outputs: 'some outputs are texts and others are not, which a model cannot tell apart',
} as const

/** A reason not to fit an adapter. */
export type LoraSkip = keyof typeof LORA_SKIP_REASONS

/** Inputs of the decision whether to fit an adapter. */
export interface FitQuestion {
  readonly choices: Pick<CompileChoices, 'recipe_kind'>
  readonly baseModel: string
  /** True when a program, a classifier or a tabular model reaches the floor. */
  readonly passed: boolean
  /** True when the best candidate is a tabular model that answers with a number: an adapter would spell one digit by digit. */
  readonly estimatesNumbers: boolean
  /** Number of rows with distinct inputs. */
  readonly distinctRows: number
}

/**
 * Returns the reason for not fitting an adapter; null when one is fitted. A requested adapter is fitted even if another
 * kind passes.
 */
export function decideFit(question: FitQuestion): LoraSkip | null {
  const { choices, baseModel, passed, estimatesNumbers, distinctRows } = question
  if (choices.recipe_kind === 'lora') return null
  if (choices.recipe_kind !== 'auto') return 'kind_not_asked_for'
  if (passed) return 'cheaper_recipe_passes'
  if (baseModel === NO_BASE) return 'no_base_model'
  if (estimatesNumbers) return 'numbers_are_estimated'
  return distinctRows < LEAST_ROWS ? 'too_few_rows' : null
}
