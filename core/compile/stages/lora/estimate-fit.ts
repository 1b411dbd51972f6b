import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import type { ModelConfig } from '../../../model/config/model-config.ts'
import { countParameters } from '../../../model/config/weight-names.ts'
import { defaultHyperparameters } from '../../../model/training/hyperparameters.ts'
import { LEAST_ROWS } from './decide-fit.ts'

/** The adapter that a compile may fit. */
export interface AdapterPlan {
  readonly baseName: string
  readonly config: ModelConfig
  /** False when an adapter is fitted only if no cheaper kind passes. */
  readonly isAskedFor: boolean
}

/** Cost of fitting an adapter. */
export interface FitEstimate {
  readonly runs: number
  readonly seconds: { readonly low: number; readonly expected: number; readonly high: number }
  readonly note: string
}

/**
 * Seconds that training takes for one token and one parameter of the base on a two-core machine (bench/model/peft.ts prints
 * the figures), and that an answer takes for one token.
 */
const MEASURED = { trainingNs: 0.05, answeringNs: 0.3 } as const
const CHARS_PER_TOKEN = 3
const TEMPLATE_TOKENS = 3
const UNKNOWN_ROW_CHARS = 100
/** Share of the rows that a fit does not see. */
export const HOLDOUT_SHARE = 0.2
/** Early stopping ends most fits before half of their steps; a busy machine takes some times as long. */
const EARLIEST_SHARE = 0.2
const BUSY = 4

/**
 * Estimates the fit of an adapter from its default hyper-parameters. Null when there are too few rows and no adapter
 * was requested. The low end is zero for an adapter that is fitted only if no cheaper kind passes.
 */
export function estimateFit(
  { baseName, config, isAskedFor }: AdapterPlan,
  rows: number,
  sampleRows: readonly { readonly input: Json; readonly output: Json }[],
): FitEstimate | null {
  if (rows < LEAST_ROWS && !isAskedFor) return null
  const chars = sampleRows.reduce((sum, { input, output }) => sum + canonicalJson([input, output]).length, 0)
  const rowChars = sampleRows.length === 0 ? UNKNOWN_ROW_CHARS : chars / sampleRows.length
  const rowTokens = Math.min(config.contextLength, TEMPLATE_TOKENS + rowChars / CHARS_PER_TOKEN)
  const trainRows = rows * (1 - HOLDOUT_SHARE)
  const { epochs } = defaultHyperparameters({
    rows: trainRows,
    tokens: trainRows * rowTokens,
    contextLength: config.contextLength,
    hiddenSize: config.hiddenSize,
  })
  const trained = epochs * trainRows * rowTokens * MEASURED.trainingNs
  const answered = rows * HOLDOUT_SHARE * rowTokens * MEASURED.answeringNs
  const seconds = (trained + answered) * countParameters(config) * 1e-9
  return {
    runs: 1,
    seconds: {
      low: isAskedFor ? seconds * EARLIEST_SHARE : 0,
      expected: isAskedFor ? seconds : seconds / 2,
      high: seconds * BUSY,
    },
    note: `adapter on ${baseName}, at most ${epochs} passes${isAskedFor ? '' : ', if nothing cheaper passes'}`,
  }
}
