import { z } from 'zod'
import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { RecipeKind } from '../../rows/task.ts'
import { tolerancePhrase, Tolerances, type Tolerance } from '../../rows/equality/tolerance.ts'
import { acceptedOf } from '../jobs/explain/acceptance.ts'
import { type Figures, figuresOf } from '../jobs/figures.ts'
import { leavesOfEvaluation } from '../jobs/leaves.ts'
import { measurementOf } from '../jobs/k-interval.ts'
import { formatCount, formatScore, formatShare } from './numbers.ts'

/** An artifact's facts as sentences. The artifact's own evidence has every number in them. */
export const InWords = z
  .object({
    kind: z.string().meta({ description: 'What the recipe is' }),
    accuracy: z.string().meta({ description: 'On how many rows it is right; or why that was not measured' }),
    scoring: z.string().nullable().meta({ description: 'Which rows were scored, and how; null where none was' }),
    interval: z.string().nullable().meta({ description: 'The 95 % interval of the accuracy; null without one' }),
    acceptance: z.string().nullable().meta({ description: 'Of an artifact that was accepted below its floor' }),
    not_measured: z.array(z.string()).meta({ description: 'A sentence for each figure that was not measured' }),
  })
  .meta({
    id: 'InWords',
    example: {
      kind: 'A program: fixed steps. The same input always gets the same answer.',
      accuracy: 'Right on 11 of 12 held-out rows.',
      scoring: 'A recipe that had not seen the row answered it.',
      interval: 'The 95 % interval of its accuracy is 65 % to 99 %.',
      acceptance: null,
      not_measured: ['Cost of a call: not measured. The recipe runs on the machine of its caller.'],
    },
  })
export type InWords = z.infer<typeof InWords>

/** The facts of an artifact that its sentences are made of. */
export interface WordedArtifact {
  readonly recipeKind: RecipeKind
  readonly baseModel: string
  /** The stored evaluation, of any version. */
  readonly evaluation: Json | undefined
}

/** Returns the facts of an artifact as sentences. */
export function inWordsOf({ recipeKind, baseModel, evaluation }: WordedArtifact): InWords {
  const facts = isJsonObject(evaluation) ? evaluation : {}
  const figures = figuresOf(facts['k_score_envelope'])
  const measurement = measurementOf(facts['k_score_envelope'])
  return {
    kind: kindInWords(recipeKind, baseModel, leavesOfEvaluation(facts['leaves'])?.length),
    accuracy: accuracyInWords(figures, facts['failing_count'], Tolerances.safeParse(facts['tolerances']).data ?? []),
    scoring: figures?.accuracy.basis === 'measured' ? scoringInWords(facts['split_mode']) : null,
    interval: measurement === undefined ? null : intervalInWords(measurement.interval),
    acceptance: acceptanceInWords(evaluation),
    not_measured: figures === undefined ? [] : unmeasuredInWords(figures),
  }
}

function kindInWords(kind: RecipeKind, baseModel: string, leaves: number | undefined): string {
  switch (kind) {
    case 'program':
      return 'A program: fixed steps. The same input always gets the same answer.'
    case 'classifier':
      return 'A classifier: it chooses one of the answers of its examples by the words and letters of the input.'
    case 'tabular':
      return 'A tabular model: it computes the answer from the fields of the input, with weights learned from the examples.'
    case 'composite': {
      const parts = leaves === undefined ? '' : ` It has ${formatCount(leaves, 'part')}.`
      return `A composite recipe: each part of the answer has a recipe of its own.${parts}`
    }
    case 'lora':
      return `An adapter on the base model ${baseModel}: it writes its answer piece by piece.`
  }
}

/** "Right on 11 of 12 held-out rows." The count is the evidence's own, or follows from the accuracy where that has none. */
function accuracyInWords(
  figures: Figures | undefined,
  failing: Json | undefined,
  tolerances: readonly Tolerance[],
): string {
  if (figures === undefined) return 'Its accuracy was not measured.'
  const { accuracy, coverage } = figures
  if (accuracy.basis === 'not_measured') return `Its accuracy was not measured: ${sentence(accuracy.why)}`
  const { value, n } = accuracy
  const counted = typeof failing === 'number' ? n - failing : Math.round(value * n)
  // Where the two disagree, the failing rows are not those of this figure.
  const right = Math.abs(counted / n - value) < 0.0001 ? counted : Math.round(value * n)
  const unanswered = coverage.basis === 'measured' && coverage.n === n ? n - Math.round(coverage.value * n) : 0
  const rest = unanswered === 0 ? '' : `; ${formatCount(unanswered, 'row')} got no answer`
  const counting = tolerances.length === 0 ? '' : `, counting ${tolerances.map(tolerancePhrase).join(', ')} as right`
  return `Right on ${formatCount(right)} of ${formatCount(n, 'held-out row')}${counting}${rest}.`
}

function scoringInWords(mode: Json | undefined): string {
  switch (mode) {
    case 'cross_fit':
    case 'leave_one_out':
      return 'Each row was answered by a recipe fitted without it. The recipe in the archive is fitted on all rows.'
    case 'test_rows':
      return 'They are the rows marked as test rows. The recipe was not fitted on them.'
    default:
      return 'They were set aside before the recipe was fitted.'
  }
}

function intervalInWords({ low, high }: { readonly low: number; readonly high: number }): string {
  return `The 95 % interval of its accuracy is ${formatShare(low)} to ${formatShare(high)}.`
}

function acceptanceInWords(evaluation: Json | undefined): string | null {
  const accepted = acceptedOf(evaluation)
  if (accepted === undefined) return null
  return `Its K-score of ${formatScore(accepted.k_score)} is below its floor of ${formatScore(accepted.k_score_floor)}, and was accepted.`
}

const TITLES = {
  k_score: 'K-score',
  accuracy: 'Accuracy',
  coverage: 'Share of rows answered',
  p50_latency_us: 'Latency',
  cost_usd_per_call: 'Cost of a call',
} as const satisfies Partial<Record<keyof Figures, string>>

function unmeasuredInWords(figures: Figures): string[] {
  const names: readonly (keyof typeof TITLES)[] = [
    'k_score',
    'accuracy',
    'coverage',
    'p50_latency_us',
    'cost_usd_per_call',
  ]
  return names.flatMap((name) => {
    const figure = figures[name]
    return figure.basis === 'measured' ? [] : [`${TITLES[name]}: not measured. ${capitalised(sentence(figure.why))}`]
  })
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
