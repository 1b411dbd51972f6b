import type { Json } from '../../../kernel/json/json.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import { shareOfAny, type QuestionCandidate } from './posterior.ts'
import { isDecided, Rivals } from './rival-answers.ts'

/** Number of unlabelled inputs, and of those on which the posterior disagrees. `undecided / inputs` is the share. */
export interface Undecided {
  readonly inputs: number
  readonly undecided: number
}

/**
 * Counts the unlabelled inputs on which the posterior disagrees: no answer has `DECIDED_SHARE` of it, two outputs being
 * one answer where the task's equality says so, and the lack of an answer being none. The posterior holds the claim that
 * none of the candidates is right, by the number of rows that they were found on. Without any candidate all inputs are
 * undecided. Pure.
 */
export function countUndecided(
  candidates: readonly QuestionCandidate[],
  unlabelled: readonly Json[],
  equality: Equality,
  rows: number,
): Undecided {
  const rivals = new Rivals(candidates, equality)
  const share = shareOfAny(candidates, rows)
  const undecided = unlabelled.filter((input) => !isDecided(rivals.answer(input), share)).length
  return { inputs: unlabelled.length, undecided }
}
