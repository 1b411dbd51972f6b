import { DomainError } from '../../../kernel/errors.ts'
import type { Json } from '../../../kernel/json/json.ts'
import type { LeafAnswer, Runner } from '../../runtime/recipe.ts'
import { judgeAnswers, judgeOutput, type LeafResult } from '../../runtime/composite/judge-leaves.ts'
import type { Shape } from '../../runtime/composite/shape.ts'
import type { Row } from '../../rows/task.ts'
import { confidenceOf } from '../../runtime/certificate/doubt.ts'
import { failedChecks, isUnlike } from '../verifier/check-output.ts'
import type { JudgingChecks } from '../verifier/synthesize-verifier.ts'
import { isSameOutput } from '../../rows/equality/same-output.ts'
import { measureLatency } from './measure-latency.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import type { Evaluation, Latency, RowResult } from './score-types.ts'
import { intervalAt, worthOfRows } from './fold-interval.ts'

/** An answer to one row, from any source. */
export interface Answer {
  readonly output: Json
  readonly abstained: boolean
  readonly confidence: number
  readonly error: RowResult['error']
  /** Answers of the leaves of a composite. */
  readonly leaves?: readonly LeafAnswer[]
}

/** Runs a recipe on one input; a recipe without an answer is an outcome here, not a failure. */
export function answerOf(runner: Runner, input: Json): Answer {
  const leaves = runner.leaves === undefined ? {} : { leaves: runner.leaves(input) }
  try {
    return { ...runner.run(input), ...leaves, error: null }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { output: null, abstained: false, confidence: 0, ...leaves, error: 'recipe_failed' }
  }
}

/** Criteria for one answer. */
interface JudgingOptions {
  readonly equality: Equality
  readonly judging: JudgingChecks
  /** The form of the outputs, for a composite: its leaves are judged too. */
  readonly shape?: Shape
}

/** Judges one answer. An abstention or a failure is not correct. */
export function judgeAnswer(row: Row, answer: Answer, { equality, judging, shape }: JudgingOptions): RowResult {
  const answered = !answer.abstained && answer.error === null
  const failed = answered ? failedChecks(judging.checks, row.input, answer.output) : []
  const unlike = isUnlike(judging.inputs, row.input)
  return {
    id: row.id,
    correct: answered && isSameOutput(equality, answer.output, row.output),
    abstained: answer.abstained,
    output: answer.output,
    confidence: confidenceOf(answer.confidence, answered && (failed.length > 0 || unlike)),
    failedChecks: failed,
    unlike,
    error: answer.error,
    ...(shape === undefined ? {} : { leaves: judgeLeaves(row, answer, equality, shape) }),
  }
}

function judgeLeaves(row: Row, answer: Answer, equality: Equality, shape: Shape): readonly LeafResult[] {
  const answered = !answer.abstained && answer.error === null
  if (answered) return judgeOutput(shape, equality, answer.output, row.output)
  return judgeAnswers(shape, equality, answer.leaves ?? [], row.output)
}

/**
 * Sums up judged rows.
 * @param differing rows that the recipe to ship answers otherwise than the recipe that was judged; 0 where it was that one
 */
export function summarize(results: readonly RowResult[], latency: Latency, differing = 0): Evaluation {
  const n = results.length
  const correct = results.filter((result) => result.correct).length
  const abstained = results.filter((result) => result.abstained).length
  const failed = results.filter((result) => result.error !== null).length
  const intervalRows = worthOfRows(correct, n, differing)
  return {
    n,
    correct,
    abstained,
    failed,
    accuracy: n === 0 ? 0 : correct / n,
    coverage: n === 0 ? 0 : (n - abstained - failed) / n,
    interval: intervalAt(correct, n, intervalRows),
    intervalRows,
    latency,
    results,
  }
}

/** Options of an evaluation. */
export interface EvaluationOptions {
  readonly equality: Equality
  /** The checks that judge the row at a position. */
  readonly checksFor: (place: number) => JudgingChecks
  /** The form of the outputs, for a composite: its leaves are judged too. */
  readonly shape?: Shape
}

/** Runs a recipe on rows it never saw and measures accuracy, coverage and latency. */
export function evaluate(runner: Runner, rows: readonly Row[], options: EvaluationOptions): Evaluation {
  const results = rows.map((row, place) =>
    judgeAnswer(row, answerOf(runner, row.input), { ...options, judging: options.checksFor(place) }),
  )
  const latency = measureLatency(
    runner,
    rows.map(({ input }) => input),
  )
  return summarize(results, latency)
}
