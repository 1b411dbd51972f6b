import type { ExpertCounts } from '../../../model/generation/options.ts'
import type { ExpertsConfig } from '../../../model/config/model-config.ts'

/** One expert of one layer, and how many of the layer's decisions went to it. */
export interface ExpertActivation {
  readonly layer: number
  readonly expert: number
  readonly count: number
  /** Share of the layer's decisions, 0 to 1. */
  readonly share: number
}

/** Adds the counts of many answers: every expert of every sparse layer, in order. */
export function sumActivations(
  experts: ExpertsConfig,
  counted: readonly (readonly ExpertCounts[])[],
): readonly ExpertActivation[] {
  return experts.layers.flatMap((layer) => {
    const sums = Array.from({ length: experts.count }, () => 0)
    for (const { layer: of, counts } of counted.flat()) {
      if (of === layer)
        for (const [expert, count] of counts.entries()) sums[expert] = (sums[expert] ?? 0) + (count ?? 0)
    }
    const total = sums.reduce((sum, count) => sum + count, 0)
    return sums.map((count, expert) => ({ layer, expert, count, share: total === 0 ? 0 : count / total }))
  })
}

/**
 * The experts whose share of a layer's decisions is below the threshold. A layer keeps as many experts as a token needs,
 * those that it chose most often.
 */
export function choosePrunable(
  { layers, perToken }: ExpertsConfig,
  activations: readonly ExpertActivation[],
  threshold: number,
): readonly ExpertActivation[] {
  return layers.flatMap((layer) => {
    const byUse = activations.filter((each) => each.layer === layer).toSorted((a, b) => b.count - a.count)
    return byUse
      .slice(perToken)
      .filter(({ share }) => share < threshold)
      .toSorted((a, b) => a.expert - b.expert)
  })
}
