import { measured, notMeasured, type Figure } from '../../../kernel/wire/figure.ts'
import type { SampleRecord, SampleVerdict } from '../stage-types.ts'

/** Why a figure of a sample is missing, by the kind of sample. */
const WHY = {
  fitted: 'it was not fitted on the rows, or not run on them afterwards',
  heldBack: 'no rows were held back from it',
  verified: 'the checks did not judge it',
  negatives: 'it was not run on forbidden outputs',
  cost: 'it has no cost to compare',
} as const

/** A sample as evidence states it: each figure with its basis. */
export interface DescribedSample extends Omit<SampleRecord, 'cost' | 'verdict'> {
  readonly cost: Figure
  readonly verdict: {
    readonly fitted_right: Figure
    readonly held_back_right: Figure
    readonly verified_passed: Figure
    readonly negatives_violated: Figure
    readonly chosen: SampleVerdict['chosen']
  }
}

function countOf(right: number | null, rows: number | null, how: string, why: string): Figure {
  return right === null || rows === null || rows === 0 ? notMeasured(why) : measured(right, rows, how)
}

function howCosted({ kind, provider }: SampleRecord): string {
  if (kind === 'program') return provider === 'frontier' ? 'bytes of the program' : 'cost by ranking.json'
  return kind === 'lora' ? 'loss on validation rows' : 'log loss on inner folds'
}

/** Returns a sample as evidence states it. */
export function describeSample(sample: SampleRecord): DescribedSample {
  const { verdict, cost, ...facts } = sample
  const { negatives_violated: violated, negatives = null } = verdict
  return {
    ...facts,
    cost: cost === null ? notMeasured(WHY.cost) : measured(cost, 1, howCosted(sample)),
    verdict: {
      fitted_right: countOf(verdict.fitted_right, verdict.fitted_rows, 'right answers of fitted rows', WHY.fitted),
      held_back_right: countOf(
        verdict.held_back_right,
        verdict.held_back_rows,
        'right answers of rows held back',
        WHY.heldBack,
      ),
      verified_passed: countOf(
        verdict.verified_passed,
        verdict.verified_rows,
        'answers that the checks accept',
        WHY.verified,
      ),
      negatives_violated: countOf(violated, negatives, 'forbidden outputs that it gives', WHY.negatives),
      chosen: verdict.chosen,
    },
  }
}
