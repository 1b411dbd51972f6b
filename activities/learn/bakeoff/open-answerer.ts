import { checkedBases } from '../../../core/compile/runtime/check-weights.ts'
import { loadArchive } from '../../../core/compile/runtime/load-archive.ts'
import { startRecipe } from '../../../core/compile/runtime/start-recipe.ts'
import { needsBase, type RecipeKinds } from '../../../core/compile/stages/pool/run-terms.ts'
import { TaskThread } from '../../../core/kernel/threads/task-thread.ts'
import { ThreadFailure } from '../../../core/kernel/threads/thread-failure.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { BakeoffOptions, BakeoffRow, ContestantFacts } from '../../../core/learn/evals/bakeoff/bakeoff.ts'
import type { Contestant } from '../../../core/learn/evals/bakeoff/contestant.ts'
import type {
  Answerer as ThreadAnswerer,
  ContestantTasks,
} from '../../../core/learn/evals/bakeoff/thread/contestant-task.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { readArchive } from '../../../db/compile/artifacts/read-archive.ts'
import type { RunningActivity } from '../../kernel/run-activity.ts'
import { baseAnswerer } from './base-answerer.ts'
import { operationOf, type BakeoffDeps, type BakeoffRef } from './deps.ts'
import { timed, type Answerer } from './answerer.ts'

/** The contestant to open, and the rows for it. */
export interface Opening {
  readonly contestant: Contestant
  /** The kind of its recipe, where it is an artifact. */
  readonly kinds: RecipeKinds
  readonly options: BakeoffOptions
  readonly train: readonly BakeoffRow[]
  /** True where the outputs of all rows are texts. */
  readonly isText: boolean
}

const MEMORY_MB = 1024
/** Longest time without an answer: a search ends by its own budget. */
const STILL_MS = 10 * 60_000

const LOCAL = { provider: null, model: null, priceSource: null, privacy: 'local', isDeterministic: true } as const

/**
 * Opens a contestant that runs here for the time of `work`. Throws `contestant_not_applicable` with the reason, `not_found`,
 * `artifact_revoked`, `artifact_expired`, `invalid_archive`, `unknown_base_model` and `base_mismatch`.
 */
export async function withAnswerer<T>(
  deps: BakeoffDeps,
  ref: BakeoffRef,
  { contestant, kinds, options, train, isText }: Opening,
  activity: RunningActivity,
  work: (answerer: Answerer) => Promise<T>,
): Promise<T> {
  switch (contestant.kind) {
    case 'artifact': {
      const open = needsBase(contestant, kinds) ? withAdapter : withArtifact
      return await open(deps, ref, contestant.artifactId, activity, work)
    }
    case 'base':
      return await deps.generators.use(contestant.base, async (open) =>
        work(baseAnswerer(open, { options, train, isText }, activity.signal)),
      )
    case 'rule':
    case 'classifier':
    case 'cache': {
      if (train.length === 0)
        throw LEARN_ERRORS.contestant_not_applicable('the dataset has no train rows to learn from')
      const { kind } = contestant
      const budgetMs = deps.limits.synthesis_budget_ms
      return await withThread({ kind, train, budgetMs }, train.length, activity, work)
    }
    case 'prompt_only':
    case 'few_shot':
      throw LEARN_ERRORS.bakeoff_failed('a model of a provider does not run here')
  }
}

/** Answers in a thread of its own. */
async function withThread<T>(
  given: ThreadAnswerer,
  trainRows: number | null,
  { signal, progress }: RunningActivity,
  work: (answerer: Answerer) => Promise<T>,
): Promise<T> {
  const thread = new TaskThread<ContestantTasks>({
    file: new URL('../../../core/learn/evals/bakeoff/thread/contestant-thread.ts', import.meta.url),
    name: 'bakeoff',
    memoryMb: MEMORY_MB,
    stillMs: STILL_MS,
    onAbort: 'end',
  })
  try {
    const { reason, fitMs, fitCpuMs } = await thread.run('open', given, { signal })
    progress()
    if (reason !== null) throw LEARN_ERRORS.contestant_not_applicable(reason)
    const isFitted = trainRows !== null
    const facts: ContestantFacts = {
      ...LOCAL,
      trainRows,
      fitMs: isFitted ? fitMs : null,
      fitCpuMs: isFitted ? fitCpuMs : null,
      cpuOf: 'thread',
    }
    const answer: Answerer['answer'] = async (rows) =>
      await thread.run(
        'answer',
        rows.map(({ place, input }) => ({ place, input })),
        { signal },
      )
    return await work({ facts, answer })
  } finally {
    await thread.end(new ThreadFailure('thread_closed', 'the rows are answered'))
  }
}

async function withArtifact<T>(
  deps: BakeoffDeps,
  ref: BakeoffRef,
  artifactId: string,
  activity: RunningActivity,
  work: (answerer: Answerer) => Promise<T>,
): Promise<T> {
  const archive = await readArchive(operationOf(deps, ref), artifactId)
  return await withThread({ kind: 'artifact', archive }, null, activity, work)
}

/** An adapter answers on its base, and holds no thread while it waits for its turns. */
async function withAdapter<T>(
  deps: BakeoffDeps,
  ref: BakeoffRef,
  artifactId: string,
  { signal }: RunningActivity,
  work: (answerer: Answerer) => Promise<T>,
): Promise<T> {
  const { recipe, guard } = await loadArchive(await readArchive(operationOf(deps, ref), artifactId))
  const runner = startRecipe(recipe, checkedBases(deps.generators))
  const facts: ContestantFacts = { ...LOCAL, trainRows: null, fitMs: null, fitCpuMs: null, cpuOf: 'process' }
  return await work({
    facts,
    answer: async (rows) =>
      await timed(rows, async (input) => {
        try {
          const { result, usage } = await runner.run(input, { signal })
          const { output, abstained } = guard(input, result)
          const tokens = { inputTokens: usage?.promptTokens ?? null, outputTokens: usage?.newTokens ?? null }
          return { output: abstained ? null : output, silence: abstained ? 'abstained' : null, ...tokens }
        } catch (error) {
          if (!MODEL_ERRORS.recipe_failed.matches(error)) throw error
          return { output: null, silence: 'recipe_failed', inputTokens: null, outputTokens: null }
        }
      }),
  })
}
