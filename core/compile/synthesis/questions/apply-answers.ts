import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { contradictoryExamples } from '../../rows/intake/census/contradictions.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import { isSameOutput } from '../../rows/equality/same-output.ts'
import type { UnlabelledInput } from '../../rows/intake/example.ts'
import type { Row } from '../../rows/task.ts'

const ANSWER_ID = /^answer_(\d+)$/

/** Reply to a question, in the order of asking. `invalid_input`: the input is none of the task's. Plain JSON. */
export type Answer =
  | { readonly kind: 'output'; readonly input: Json; readonly output: Json }
  | { readonly kind: 'skip' | 'invalid_input'; readonly input: Json }

/** The rows and inputs that the next search works on. */
export interface AnsweredRows {
  readonly rows: readonly Row[]
  readonly unlabelled: readonly UnlabelledInput[]
  /** Inputs that are not asked about again. */
  readonly asked: readonly Json[]
}

/**
 * Returns the rows and inputs of a compile after the answers so far. An output becomes a row after the given ones, with
 * the id `answer_<place from 1>`, counted on after given ids of that form, and its input is no longer unlabelled. A
 * skipped input stays unlabelled and is not asked again; an invalid one leaves the task. The result depends on the rows
 * and answers alone, so a search over it can be repeated.
 */
export function applyAnswers(
  rows: readonly Row[],
  unlabelled: readonly UnlabelledInput[],
  answers: readonly Answer[],
): AnsweredRows {
  const removed = new Set(answers.filter(({ kind }) => kind !== 'skip').map(({ input }) => canonicalJson(input)))
  return {
    rows: [
      ...rows,
      ...answerRows(
        answers,
        [...rows, ...unlabelled].map(({ id }) => id),
      ),
    ],
    unlabelled: unlabelled.filter(({ input }) => !removed.has(canonicalJson(input))),
    asked: answers.map(({ input }) => input),
  }
}

/** Returns the answers that are outputs as rows, whose ids differ from the given ones. */
export function answerRows(answers: readonly Answer[], given: Iterable<string>): readonly Row[] {
  const ids = [...given].filter(isAnswerId)
  return answers.flatMap((answer, place) =>
    answer.kind === 'output' ? [{ id: answerId(place + 1, ids), input: answer.input, output: answer.output }] : [],
  )
}

/** Returns true for an id of the form that answers get. */
export function isAnswerId(id: string): boolean {
  return ANSWER_ID.test(id)
}

/** Returns the id of the answer with this number, from 1: numbers continue after those of given ids of the form. */
export function answerId(number: number, given: Iterable<string>): string {
  let last = 0n
  for (const id of given) {
    const used = BigInt(ANSWER_ID.exec(id)?.[1] ?? 0)
    if (used > last) last = used
  }
  return `answer_${last + BigInt(number)}`
}

/** Throws `contradictory_examples`, naming both, where an answer gives the input of a row another output. */
export function checkAnswer(rows: readonly Row[], answer: Answer, id: string, equality: Equality): void {
  if (answer.kind !== 'output') return
  const input = canonicalJson(answer.input)
  const row = rows.find(
    (one) => canonicalJson(one.input) === input && !isSameOutput(equality, one.output, answer.output),
  )
  if (row !== undefined) throw contradictoryExamples([{ ids: [row.id, id] }])
}
