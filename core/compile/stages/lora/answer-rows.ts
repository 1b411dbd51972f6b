import pLimit from 'p-limit'
import { isOneOf } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'
import type { Json } from '../../../kernel/json/json.ts'
import type { Answer } from '../scoring/evaluate.ts'
import { latencyOf } from '../scoring/measure-latency.ts'
import type { Latency } from '../scoring/score-types.ts'
import type { LoraRunner } from './lora-runner.ts'

/** Requests that wait or run at one time: enough to fill every batch of the generator. */
const AT_ONCE = 64
const WARM_UP_CALLS = 2
const MEASURED_CALLS = 20

/** Codes that mean that the recipe gave no answer, as opposed to a failed call. */
const NO_ANSWER = [MODEL_ERRORS.recipe_failed, MODEL_ERRORS.context_exceeded]

/** Bounds of answering. */
export interface AnswerOptions {
  readonly signal?: AbortSignal
  /** Once it is aborted, no further input begins: the answers are those of the first inputs, one at least. */
  readonly until?: AbortSignal
  readonly onAnswer?: (done: number) => void
}

/** Answers many inputs, batched by the generator, in their order. An input without an answer is an outcome here. */
export async function answerRows(
  runner: LoraRunner,
  inputs: readonly Json[],
  { signal, until, onAnswer }: AnswerOptions = {},
): Promise<readonly Answer[]> {
  const limit = pLimit(AT_ONCE)
  let done = 0
  const answers = await Promise.all(
    inputs.map(async (input, place) =>
      limit(async () => {
        if (place > 0 && until?.aborted === true) return null
        const answer = await answerOne(runner, input, signal)
        onAnswer?.(++done)
        return answer
      }),
    ),
  )
  return answers.filter((answer) => answer !== null)
}

/** Measures single calls, one at a time and warm, in microseconds. */
export async function measureCalls(
  runner: LoraRunner,
  inputs: readonly Json[],
  signal?: AbortSignal,
): Promise<Latency> {
  const samples: number[] = []
  const calls = Math.min(MEASURED_CALLS, inputs.length)
  for (let call = -WARM_UP_CALLS; call < calls && inputs.length > 0; call++) {
    const started = performance.now()
    await answerOne(runner, inputs[Math.max(0, call) % inputs.length] ?? null, signal)
    if (call >= 0) samples.push((performance.now() - started) * 1000)
  }
  return latencyOf(samples)
}

async function answerOne(runner: LoraRunner, input: Json, signal: AbortSignal | undefined): Promise<Answer> {
  try {
    const { output, abstained, confidence } = await runner.run(input, signal === undefined ? {} : { signal })
    return { output, abstained, confidence, error: null }
  } catch (error) {
    if (!isOneOf(error, NO_ANSWER)) throw error
    return { output: null, abstained: false, confidence: 0, error: 'recipe_failed' }
  }
}
