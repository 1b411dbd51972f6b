import { registerHooks } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import type { Json } from '../../core/kernel/json/json.ts'
import { compileProgram } from '../../core/compile/language/evaluate/evaluate.ts'
import { languageOf } from '../../core/compile/language/versions.ts'
import { equalJson } from '../../core/compile/language/primitives/values/json-values.ts'
import type { RankingTask } from './ranking-tasks.ts'

/** Input of a thread: the ranking file as text, in place of the one of the tree. */
export interface SearchThreadData {
  readonly ranking: string
  readonly k: number
}

/** A program that a search found, by its features. */
export interface RankedCandidate {
  readonly features: Readonly<Record<string, number>>
  /** Right on all rows that the search did not see. */
  readonly isRight: boolean
  /** Right on all rows that the search saw. */
  readonly fits: boolean
}

/** The candidates of a task, best first. */
export interface SearchedTask {
  /** Rows that the search saw. */
  readonly shown: number
  readonly candidates: readonly RankedCandidate[]
  readonly ms: number
}

const { ranking, k }: SearchThreadData = workerData

// The search reads its weights once, when it is loaded: the thread gives it others.
registerHooks({
  load(url, context, next) {
    if (!url.endsWith('/synthesis/ranking/ranking.json')) return next(url, context)
    return { format: 'json', source: ranking, shortCircuit: true }
  },
})
const { DEFAULT_WORK_BUDGET, rankPrograms } = await import('../../core/compile/synthesis/synthesize.ts')

function isRightOn(examples: readonly { readonly input: Json; readonly output: Json }[]) {
  return (compiled: ReturnType<typeof compileProgram>): boolean =>
    examples.every(({ input, output }) => {
      const answer = compiled.attempt(input)
      return answer !== undefined && equalJson(answer, output)
    })
}

function search({ examples, shown, withInputs }: RankingTask): SearchedTask {
  const rows = examples.slice(0, shown).map((example, i) => ({ id: `row_${i + 1}`, ...example }))
  const started = performance.now()
  const unlabelled = withInputs ? examples.slice(shown).map(({ input }) => input) : []
  const { ranked } = rankPrograms(rows, { k, workBudget: DEFAULT_WORK_BUDGET, unlabelled })
  const ms = performance.now() - started
  const isRight = isRightOn(examples.slice(shown))
  const candidates = ranked.map(({ expr, cost, matches }) => ({
    features: Object.fromEntries(cost.features()),
    isRight: isRight(compileProgram({ language: languageOf(expr), body: expr })),
    fits: matches === rows.length,
  }))
  return { shown: rows.length, candidates, ms }
}

parentPort?.on('message', (task: RankingTask) => parentPort?.postMessage(search(task)))
