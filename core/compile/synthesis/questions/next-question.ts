import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import type { Row } from '../../rows/task.ts'
import { shapeOf } from '../solve/row-shapes.ts'
import type { QuestionCandidate } from './posterior.ts'
import { entropyOf, Rivals, type RivalAnswer, type RivalAnswers } from './rival-answers.ts'

/** Why an input is asked about. */
export type QuestionReason = 'candidates_disagree' | 'best_fails' | 'new_shape'

/** A question to the caller: the output of one unlabelled input. Plain JSON. */
export interface Question {
  readonly input: Json
  readonly reason: QuestionReason
  /** The competing outputs with their shares of the posterior, likeliest first, at most eight. */
  readonly answers: readonly RivalAnswer[]
  /** Share of the posterior that has no answer to the input. */
  readonly unanswered: number
}

/** State of a compile, from which the next question follows. */
export interface QuestionState {
  /** Programs that get all rows right, as the search returns them; 64 are enough. */
  readonly candidates: readonly QuestionCandidate[]
  /** The rows that the candidates were found on, answers so far among them. */
  readonly rows: readonly Pick<Row, 'input' | 'output'>[]
  readonly unlabelled: readonly Json[]
  /** Inputs that were asked about already, answered or not. */
  readonly asked: readonly Json[]
  readonly equality: Equality
}

/** Share of the leading answer from which the candidates agree on an input. */
const AGREED_SHARE = 0.999
/** Competing outputs that a question shows. */
const MAX_SHOWN = 8
/** Unlabelled inputs that are looked at. */
const MAX_INPUTS = 1000

interface Doubt {
  /** Position of the input among the unlabelled ones. */
  readonly place: number
  readonly input: Json
  readonly reason: QuestionReason
  readonly rivals: RivalAnswers
  readonly entropy: number
}

/** Returns the reason to ask about an input, or null where its answer is not in doubt. */
function reasonOf(rivals: RivalAnswers, shapes: ReadonlySet<string>): QuestionReason | null {
  if (rivals.best === null) return 'best_fails'
  if ((rivals.answers[0]?.share ?? 0) < AGREED_SHARE) return 'candidates_disagree'
  return shapes.has(shapeOf(rivals.best.output)) ? null : 'new_shape'
}

const URGENCY: Readonly<Record<QuestionReason, number>> = { best_fails: 0, candidates_disagree: 1, new_shape: 2 }

/**
 * Returns the next question, or null when asking ends. It ends when every input that was not asked yet has one answer
 * with 0.999 of the posterior, which the best candidate gives in a shape that the rows' outputs have.
 *
 * Inputs on which the best candidate fails come first, then those on which the candidates disagree, then answers of a new
 * shape. Among inputs with the same reason, the one whose answers have the largest entropy comes first (vote entropy of
 * query by committee), and of equal ones the earliest. Without any candidate every input fails. Pure: the same state
 * gives the same question.
 *
 * An answer becomes a row, and the next search runs on all rows: see `applyAnswers`.
 */
export function nextQuestion(state: QuestionState): Question | null {
  return rankQuestions(state, 1)[0]?.question ?? null
}

/** A question, with the position of its input among the unlabelled ones. */
interface RankedQuestion {
  readonly place: number
  readonly question: Question
}

/** Returns the first questions, at most `most`, each about another input, in the order of `nextQuestion`. */
export function rankQuestions(state: QuestionState, most: number): readonly RankedQuestion[] {
  const rivals = new Rivals(state.candidates, state.equality)
  const known = new Set([...state.rows.map(({ input }) => input), ...state.asked].map((input) => canonicalJson(input)))
  const shapes = new Set(state.rows.map(({ output }) => shapeOf(output)))
  const doubts: Doubt[] = []
  for (const [place, input] of state.unlabelled.slice(0, MAX_INPUTS).entries()) {
    const key = canonicalJson(input)
    if (known.has(key)) continue
    known.add(key)
    const answers = rivals.answer(input)
    const reason = reasonOf(answers, shapes)
    if (reason === null) continue
    doubts.push({ place, input, reason, rivals: answers, entropy: entropyOf(answers) })
  }
  return doubts.toSorted(byUrgency).slice(0, most).map(asQuestion)
}

/** Orders doubts; the sort is stable, so that of equal ones the earliest comes first. */
function byUrgency(a: Doubt, b: Doubt): number {
  return URGENCY[a.reason] - URGENCY[b.reason] || b.entropy - a.entropy
}

function asQuestion({ place, input, reason, rivals: { answers, unanswered } }: Doubt): RankedQuestion {
  return { place, question: { input, reason, answers: answers.slice(0, MAX_SHOWN), unanswered } }
}
