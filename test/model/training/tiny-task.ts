import type { ModelConfig } from '../../../core/model/config/model-config.ts'
import { tinyConfig } from '../tiny-config.ts'
import type { TensorData } from '../../../core/model/files/tensors.ts'
import type { FitInput } from '../../../core/model/training/fit/fit-types.ts'
import { defaultHyperparameters, type Hyperparameters } from '../../../core/model/training/hyperparameters.ts'
import { initialWeights } from '../../../core/model/training/optimizer/initial-values.ts'
import type { FitRow, TrainingRow } from '../../../core/model/training/rows.ts'

/** The model of these tests. */
export const TINY = tinyConfig({ intermediateSize: 32, contextLength: 64 })

/** Rows of a small rule: the answer names the prompt's second token in another alphabet, once or twice. */
export function tinyRows(count = 40): TrainingRow[] {
  return Array.from({ length: count }, (_, index) => {
    const letter = index % 16
    const repeats = 1 + (index % 2)
    return {
      id: `row-${index}`,
      prompt: [1, 10 + letter, ...(index % 3 === 0 ? [5] : []), 2],
      answer: [...Array.from({ length: repeats }, () => 30 + letter), 0],
      weight: 1,
    }
  })
}

/** Random weights, large enough that a frozen base can be moved by an adapter. */
export function tinyWeights(config: ModelConfig = TINY): ReadonlyMap<string, TensorData> {
  const weights = initialWeights(config, 1)
  for (const [name, { data }] of weights) {
    if (!name.endsWith('norm.weight')) data.forEach((value, i) => (data[i] = 15 * value))
  }
  return weights
}

/** A fit of a few steps. */
export function tinyFit(
  rows: readonly FitRow[],
  changes: Partial<Hyperparameters> = {},
  more: Partial<FitInput> = {},
): FitInput {
  const facts = { rows: rows.length, tokens: 200, contextLength: TINY.contextLength, hiddenSize: TINY.hiddenSize }
  return {
    base: { name: 'tiny', config: TINY, weights: tinyWeights(), weightsHash: `sha256:${'0'.repeat(64)}` },
    rows,
    hyperparameters: defaultHyperparameters(facts, 'supervised', {
      rank: 4,
      alpha: 8,
      epochs: 4,
      batchTokens: 64,
      learningRate: 1e-2,
      seed: 7,
      ...changes,
    }),
    memoryBudgetBytes: 2 ** 30,
    threads: 1,
    ...more,
  }
}
