import type { UnlabelledInput } from '../../../rows/intake/example.ts'
import type { NegativeExample } from '../../../rows/intake/example.ts'
import type { SampleRecord } from '../../stage-types.ts'
import type { Row } from '../../../rows/task.ts'
import { checkOutput } from '../../verifier/check-output.ts'
import { synthesizeVerifier } from '../../verifier/synthesize-verifier.ts'
import { labelQuestion } from '../questions.ts'
import { sampleFacts } from '../sample-facts.ts'
import type { LabelQuestions, SampleOutcome, TeacherRow, TeacherSample } from '../teacher-types.ts'
import { ACCEPTED_SHARE, vote } from './vote.ts'

/** Samples of labels that the evidence lists one by one; all are counted and stored in the database. */
const MAX_LISTED = 500

/** Inputs for labelling the unlabelled inputs. */
export interface AdoptLabelsInput {
  readonly questions: LabelQuestions
  readonly unlabelled: readonly UnlabelledInput[]
  readonly samples: readonly TeacherSample[]
  readonly train: readonly Row[]
  readonly negatives: readonly NegativeExample[]
}

/** The accepted labels and the outcome of the others. */
export interface AdoptedLabels {
  readonly rows: readonly TeacherRow[]
  readonly disagreed: number
  readonly refusedByVerifier: number
  readonly records: readonly SampleRecord[]
  readonly outcomes: readonly { readonly sample: TeacherSample; readonly outcome: SampleOutcome }[]
}

/** Accepts the answer to an input when enough samples agree on it and the verifier of the train rows lets it pass. */
export function adoptLabels(input: AdoptLabelsInput): AdoptedLabels {
  const verifier = synthesizeVerifier(input.train, { negatives: input.negatives })
  const byQuestion = Map.groupBy(input.samples, ({ question }) => question)
  const rows: TeacherRow[] = []
  const outcomes: { readonly sample: TeacherSample; readonly outcome: SampleOutcome }[] = []
  let disagreed = 0
  let refusedByVerifier = 0
  for (const place of input.questions.inputs) {
    const samples = byQuestion.get(labelQuestion(place)) ?? []
    const given = input.unlabelled[place]
    if (given === undefined || samples.length === 0) continue
    const voted = vote(samples, input.questions.samples)
    samples.forEach((sample, i) => outcomes.push({ sample, outcome: voted.outcomes[i] ?? 'unreadable' }))
    if (voted.share < ACCEPTED_SHARE) disagreed++
    else if (!checkOutput(verifier, given.input, voted.output).pass) refusedByVerifier++
    else rows.push({ id: given.id, input: given.input, output: voted.output, share: voted.share })
  }
  return { rows, disagreed, refusedByVerifier, outcomes, records: toRecords(outcomes) }
}

function toRecords(
  outcomes: readonly { readonly sample: TeacherSample; readonly outcome: SampleOutcome }[],
): readonly SampleRecord[] {
  return outcomes.slice(0, MAX_LISTED).map(({ sample, outcome }, i) => ({
    id: `frontier-label-${i + 1}`,
    provider: 'frontier',
    kind: 'label',
    rank: i + 1,
    cost: null,
    search_steps: 0,
    training_steps: 0,
    size_bytes: null,
    recipe_hash: null,
    settings: {},
    verdict: {
      fitted_rows: null,
      fitted_right: null,
      held_back_rows: null,
      held_back_right: null,
      verified_rows: null,
      verified_passed: null,
      negatives_violated: null,
      chosen: outcome === 'majority' ? 'winner' : outcome === 'minority' ? 'beaten' : 'refused',
    },
    teacher: sampleFacts(sample, outcome),
  }))
}
