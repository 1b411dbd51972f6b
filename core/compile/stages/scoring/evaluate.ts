import { DomainError } from '../../../kernel/errors.ts'
import type { Json } from '../../../kernel/json/json.ts'
import type { Runner } from '../../runtime/recipe.ts'
import type { Row } from '../../task.ts'
import { confidenceOf } from '../../runtime/certificate/doubt.ts'
import { failedChecks, isUnlike } from '../verifier/check-output.ts'
import type { JudgingChecks } from '../verifier/synthesize-verifier.ts'
import { isSameOutput } from '../../rows/equality/same-output.ts'
import { measureLatency } from './measure-latency.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import type { Evaluation, Latency, RowResult } from './score-types.ts'
import { wilsonInterval } from './wilson-interval.ts'

/** An answer to one row, from any source. */
export interface Answer {
  readonly output: Json
  readonly abstained: boolean
  readonly confidence: number
  readonly error: RowResult['error']
}

/** Runs a recipe on one input; a recipe without an answer is an outcome here, not a failure. */
export function answerOf(runner: Runner, input: Json): Answer {
  try {
    return { ...runner.run(input), error: null }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { output: null, abstained: false, confidence: 0, error: 'recipe_failed' }
  }
}

/** Judges one answer. An abstention or a failure is not correct. */
export function judgeAnswer(row: Row, answer: Answer, equality: Equality, judging: JudgingChecks): RowResult {
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
  }
}

/** Sums up judged rows. */
export function summarize(results: readonly RowResult[], latency: Latency): Evaluation {
  const n = results.length
  const correct = results.filter((result) => result.correct).length
  const abstained = results.filter((result) => result.abstained).length
  const failed = results.filter((result) => result.error !== null).length
  return {
    n,
    correct,
    abstained,
    failed,
    accuracy: n === 0 ? 0 : correct / n,
    coverage: n === 0 ? 0 : (n - abstained - failed) / n,
    interval: wilsonInterval(correct, n),
    latency,
    results,
  }
}

/** Options of an evaluation. */
export interface EvaluationOptions {
  readonly equality: Equality
  /** The checks that judge the row at a position. */
  readonly checksFor: (place: number) => JudgingChecks
}

/** Runs a recipe on rows it never saw and measures accuracy, coverage and latency. */
export function evaluate(runner: Runner, rows: readonly Row[], options: EvaluationOptions): Evaluation {
  const results = rows.map((row, place) =>
    judgeAnswer(row, answerOf(runner, row.input), options.equality, options.checksFor(place)),
  )
  const latency = measureLatency(
    runner,
    rows.map(({ input }) => input),
  )
  return summarize(results, latency)
}
