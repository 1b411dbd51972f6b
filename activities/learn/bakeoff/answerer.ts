import type { Json } from '../../../core/kernel/json/json.ts'
import type { BakeoffAnswer, Silence } from '../../../core/learn/evals/bakeoff/answer.ts'
import type { BakeoffRow, ContestantFacts } from '../../../core/learn/evals/bakeoff/bakeoff.ts'

/** A contestant that is ready. */
export interface Answerer {
  readonly facts: ContestantFacts
  /** Answers rows, each measured. */
  readonly answer: (rows: readonly Pick<BakeoffRow, 'place' | 'input'>[]) => Promise<readonly BakeoffAnswer[]>
}

/** The answer of a model that runs here. */
interface Said {
  readonly output: Json
  readonly silence: Silence | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
}

/**
 * Answers rows one after another, each by the clock and by the processor time of the whole process: graphs compute in threads that no
 * other measure sees. What the process does beside counts too.
 */
export async function timed(
  rows: readonly Pick<BakeoffRow, 'place' | 'input'>[],
  say: (input: Json) => Promise<Said>,
): Promise<readonly BakeoffAnswer[]> {
  const answers: BakeoffAnswer[] = []
  for (const { place, input } of rows) {
    const before = process.cpuUsage()
    const startedAt = performance.now()
    const { output, silence, inputTokens, outputTokens } = await say(input)
    const latencyMs = performance.now() - startedAt
    const { user, system } = process.cpuUsage(before)
    const cost = { latencyMs, cpuMs: (user + system) / 1000, inputTokens, outputTokens, usd: null }
    answers.push({ place, output, silence, cost })
  }
  return answers
}
