import { canonicalJson, type JsonObject } from '../../../../kernel/json/json.ts'
import type { NegativeExample } from '../../../rows/intake/example.ts'
import type { Runner } from '../../../runtime/recipe.ts'
import { isSameOutput } from '../../../rows/equality/same-output.ts'
import { answerOf } from '../../scoring/evaluate.ts'
import type { Equality } from '../../../rows/equality/equality.ts'
import { openCandidate, sizeOf } from '../../candidate.ts'
import type { Row } from '../../../rows/task.ts'
import { parseQuestion } from '../questions.ts'
import { rowsAt } from '../show-rows.ts'
import type { ProgramQuestion, SampleOutcome, TeacherSample } from '../teacher-types.ts'
import { readProgram } from './read-program.ts'

/** Share of rows, shown and not shown, that a program must get right to count as a candidate. */
const LEAST_RIGHT = 0.5

/** A program of a teacher with how it did. */
export interface TaughtProgram {
  readonly sample: TeacherSample
  readonly recipe: JsonObject
  readonly runner: Runner
  readonly question: ProgramQuestion
  readonly fitRight: number
  readonly unseenRight: number
  readonly negativesViolated: number
  readonly sizeBytes: number
  /** False for one that fails rows which its prompts did not hold: it learned the examples, not the rule. */
  readonly isUsable: boolean
}

/** All answers to questions for programs. */
export interface JudgedAnswers {
  /** One for each distinct program of each question, in the order of the samples. */
  readonly programs: readonly TaughtProgram[]
  /** Outcomes of the samples, in their order. */
  readonly outcomes: readonly { readonly sample: TeacherSample; readonly outcome: SampleOutcome }[]
}

/** Inputs for judging answers. */
export interface ProgramJudge {
  readonly rows: readonly Row[]
  readonly equality: Equality
  readonly negatives: readonly NegativeExample[]
  checkpoint(): void
}

/** True when a runner answers a row rightly. */
export function isRight(runner: Runner, row: Row, equality: Equality): boolean {
  const { output, abstained, error } = answerOf(runner, row.input)
  return error === null && !abstained && isSameOutput(equality, output, row.output)
}

function judgeProgram(
  judge: ProgramJudge,
  question: ProgramQuestion,
  sample: TeacherSample,
  recipe: JsonObject,
): TaughtProgram {
  const data = { kind: 'program', recipe } as const
  const runner = openCandidate(data)
  const count = (places: readonly number[]): number =>
    rowsAt(judge.rows, places).filter((row) => {
      judge.checkpoint()
      return isRight(runner, row, judge.equality)
    }).length
  const fitRight = count(question.fit)
  const unseenRight = count(question.unseen)
  const all = question.fit.length + question.unseen.length
  return {
    sample,
    recipe,
    runner,
    question,
    fitRight,
    unseenRight,
    negativesViolated: judge.negatives.filter(({ input, notOutput }) => {
      const answer = answerOf(runner, input)
      return answer.error === null && isSameOutput(judge.equality, answer.output, notOutput)
    }).length,
    sizeBytes: sizeOf(data),
    isUsable: unseenRight >= question.unseen.length * LEAST_RIGHT && fitRight + unseenRight >= all * LEAST_RIGHT,
  }
}

/**
 * Reads and judges the answers to the questions for programs. A program has learned the rule if it is right on rows that
 * its prompts never held. A table of the shown rows fails there; a table that a model filled from its knowledge of the
 * world passes, whatever its size.
 */
export function judgeAnswers(
  judge: ProgramJudge,
  questions: readonly ProgramQuestion[],
  samples: readonly TeacherSample[],
): JudgedAnswers {
  const byId = new Map(questions.map((question) => [question.id, question]))
  const seen = new Map<string, TaughtProgram>()
  const outcomes = samples.map((sample) => {
    const name = parseQuestion(sample.question)
    const question = name.kind === 'program' ? byId.get(name.root) : undefined
    if (question === undefined) throw new Error(`unknown question ${sample.question}`)
    const outcome = (is: SampleOutcome) => ({ sample, outcome: is })
    const read = readProgram(sample.text)
    if (read.kind !== 'program') {
      if (sample.finish === 'refusal') return outcome('refused')
      if (sample.finish === 'length') return outcome('cut_off')
      return outcome(read.kind === 'invalid' ? 'invalid_program' : 'unreadable')
    }
    const key = `${question.id} ${canonicalJson(read.recipe)}`
    if (seen.has(key)) return outcome('duplicate')
    const program = judgeProgram(judge, question, sample, read.recipe)
    seen.set(key, program)
    return outcome(program.isUsable ? 'candidate' : 'poor')
  })
  return { programs: [...seen.values()], outcomes }
}
