import { startCpuTime } from '../../../../compile/stages/clock/cpu-time.ts'
import { startClock } from '../../../../compile/stages/clock/stage-clock.ts'
import { openCandidate } from '../../../../compile/stages/candidate.ts'
import { DEFAULT_K } from '../../../../compile/stages/sample/sample-count.ts'
import { sampleClassifiers } from '../../../../compile/stages/sample/sample-classifier.ts'
import { samplePrograms } from '../../../../compile/stages/sample/sample-program.ts'
import { inferEquality } from '../../../../compile/rows/equality/infer-equality.ts'
import { loadArchive } from '../../../../compile/runtime/load-archive.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import type { Json } from '../../../../kernel/json/json.ts'
import { serveTasks } from '../../../../kernel/threads/serve-tasks.ts'
import { lowerThreadPriority } from '../../../../kernel/threads/thread-priority.ts'
import type { BakeoffAnswer, Silence } from '../answer.ts'
import type { BakeoffRow } from '../bakeoff.ts'
import { createCache } from '../cache.ts'
import type { Answerer, Asked, ContestantTasks } from './contestant-task.ts'

/** The answer of a contestant. */
interface Said {
  readonly output: Json
  readonly silence: Silence | null
}

/** The contestant to which this thread belongs. */
let answer: ((input: Json) => Said) | undefined

lowerThreadPriority()

serveTasks<ContestantTasks>({
  open: async (answerer) => {
    const startedAt = performance.now()
    const cpuMs = startCpuTime()
    const reason = await open(answerer)
    return { reason, fitMs: performance.now() - startedAt, fitCpuMs: cpuMs() }
  },
  answer: (rows) => rows.map(measured),
})

/** Returns why the contestant cannot answer; null when it can. */
async function open(answerer: Answerer): Promise<string | null> {
  if (answerer.kind === 'artifact') {
    const { recipe, guard } = await loadArchive(answerer.archive)
    if (recipe.kind !== 'pure') throw new Error('a recipe on a base answers beside this thread')
    // As `/v1/run` answers: what the checks withhold is no answer.
    answer = (input) => attempt(() => guard(input, recipe.runner.run(input)))
    return null
  }
  if (answerer.kind === 'cache') {
    const cache = createCache(answerer.train)
    answer = (input) => {
      const output = cache(input)
      return output === undefined ? { output: null, silence: 'abstained' } : { output, silence: null }
    }
    return null
  }
  const { kind, train, budgetMs } = answerer
  const fitted = fit(kind, train, budgetMs)
  if (fitted.data === null) return fitted.reason
  const runner = openCandidate(fitted.data)
  answer = (input) => attempt(() => runner.run(input))
  return null
}

/** Fits the compiler's program or classifier on the train rows alone. */
function fit(kind: 'rule' | 'classifier', train: readonly BakeoffRow[], budgetMs: number) {
  const rows = train.map(({ place, input, output }) => ({ id: `row_${place}`, input, output }))
  const outputs = rows.map(({ output }) => output)
  const sample = kind === 'rule' ? samplePrograms : sampleClassifiers
  const { candidates, reason } = sample({
    train: rows,
    negatives: [],
    unlabelled: { picked: [], all: [] },
    equality: inferEquality(outputs),
    outputs,
    request: { task: '', k: DEFAULT_K, budgetMs },
    clock: startClock('k-sample', {}),
    isCancelled: () => false,
  })
  const data = candidates?.recipes[0]?.data
  return data === undefined ? { data: null, reason: reason ?? 'no recipe was found' } : { data, reason: null }
}

/** A recipe without an answer is an outcome here. */
function attempt(run: () => { readonly output: Json; readonly abstained: boolean }): Said {
  try {
    const { output, abstained } = run()
    return abstained ? { output: null, silence: 'abstained' } : { output, silence: null }
  } catch (error) {
    if (!(error instanceof DomainError) || error.facts.status >= 500) throw error
    return { output: null, silence: 'recipe_failed' }
  }
}

function measured({ place, input }: Asked): BakeoffAnswer {
  if (answer === undefined) throw new Error('a contestant is opened before it answers')
  const cpuMs = startCpuTime()
  const startedAt = performance.now()
  const said = answer(input)
  const latencyMs = performance.now() - startedAt
  return {
    place,
    ...said,
    cost: { latencyMs, cpuMs: cpuMs(), inputTokens: null, outputTokens: null, usd: null },
  }
}
