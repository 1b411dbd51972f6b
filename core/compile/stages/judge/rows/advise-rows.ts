import type { UnlabelledInput } from '../../../rows/intake/example.ts'
import type { Equality } from '../../../rows/equality/equality.ts'
import { rankQuestions } from '../../../synthesis/questions/next-question.ts'
import type { Row } from '../../../rows/task.ts'
import type { ProgramPosterior } from '../../stage-types.ts'
import { failedChecks, isUnlike } from '../../verifier/check-output.ts'
import { synthesizeVerifier } from '../../verifier/synthesize-verifier.ts'
import type { OddReason } from '../../../wire/jobs/explain/help.ts'
import type { KindResult } from '../verify-types.ts'
import type { RowAdvice } from './row-advice.ts'

/** Unlabelled inputs, and odd rows, that are named. */
const MAX_TO_LABEL = 5
const MAX_ODD = 20
/** Rows answered right that are enough to say what the others are like. */
const MIN_RIGHT = 5

/** Facts that the advice is made from. */
export interface AdviceInput {
  readonly rows: readonly Row[]
  /** The scored rows. */
  readonly evaluated: readonly Row[]
  readonly equality: Equality
  readonly kinds: readonly KindResult[]
  readonly best: KindResult | null
  readonly posterior: ProgramPosterior | undefined
  readonly unlabelled: readonly UnlabelledInput[]
}

/** Returns which unlabelled inputs to label and which wrong rows are odd. */
export function adviseRows(input: AdviceInput): RowAdvice & { readonly inputs: readonly UnlabelledInput[] } {
  const inputs = inputsToLabel(input)
  return {
    inputs: inputs.map(({ unlabelled }) => unlabelled),
    to_label: inputs.map(({ unlabelled: { id }, reason }) => ({ id, reason })),
    odd: oddRows(input),
  }
}

function inputsToLabel({ rows, equality, posterior, unlabelled }: AdviceInput) {
  if (posterior === undefined) return []
  const inputs = unlabelled.map(({ input }) => input)
  const questions = rankQuestions({ ...posterior, rows, unlabelled: inputs, asked: [], equality }, MAX_TO_LABEL)
  return questions.flatMap(({ place, question: { reason } }) => {
    const input = unlabelled[place]
    return input === undefined ? [] : [{ unlabelled: input, reason }]
  })
}

/**
 * The checks come from the rows answered right: those of all rows would be spoilt by the very rows that are looked for.
 */
function oddRows({ evaluated, kinds, best }: AdviceInput): RowAdvice['odd'] {
  if (best === null) return []
  const answeredBy = ({ evaluation }: KindResult) =>
    evaluation.results.flatMap(({ id, correct }) => (correct ? [id] : []))
  const right = new Set(answeredBy(best))
  const anyRight = new Set(kinds.flatMap(answeredBy))
  const usual = evaluated.filter(({ id }) => right.has(id))
  const { checks, inputs } = usual.length < MIN_RIGHT ? NO_CHECKS : synthesizeVerifier(usual)
  const odd = evaluated.flatMap(({ id, input, output }) => {
    if (right.has(id)) return []
    const reasons: OddReason[] = []
    if (failedChecks(checks, input, output).length > 0) reasons.push('output_unlike_others')
    if (isUnlike(inputs.checks, input)) reasons.push('input_unlike_others')
    if (kinds.length > 1 && !anyRight.has(id)) reasons.push('no_kind_right')
    return reasons.length === 0 ? [] : [{ id, reasons }]
  })
  return odd.toSorted((one, other) => other.reasons.length - one.reasons.length).slice(0, MAX_ODD)
}

const NO_CHECKS = { checks: [], inputs: { checks: [] } }
