import { isSameOutput } from '../../../core/compile/rows/equality/same-output.ts'
import type { Equality } from '../../../core/compile/rows/equality/equality.ts'
import { checkedBases } from '../../../core/compile/runtime/check-weights.ts'
import { loadArchive, type LoadedArchive } from '../../../core/compile/runtime/load-archive.ts'
import { startRecipe, type RecipeRunner } from '../../../core/compile/runtime/start-recipe.ts'
import { needsBase, type RecipeKinds } from '../../../core/compile/stages/pool/run-terms.ts'
import { TaskThread } from '../../../core/kernel/threads/task-thread.ts'
import { ThreadFailure } from '../../../core/kernel/threads/thread-failure.ts'
import type { ScoreTasks } from '../../../core/learn/gate/score/score-task.ts'
import type { HoldoutRow } from '../../../core/learn/holdout/parse-rows.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { readArchive } from '../../../db/compile/artifacts/read-archive.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { GateDeps } from './deps.ts'

/** Scores rows with both artifacts of a gate, as `/v1/run` answers them. */
export interface Scorer {
  /** Returns 1 for each row that the artifact has right. */
  score(artifactId: string, rows: readonly HoldoutRow[], signal: AbortSignal): Promise<Uint8Array>
  /** Ends the thread; rows that are scored afterwards start another, so a gate that waits for its turn holds none. */
  close(): Promise<void>
}

const MEMORY_MB = 1024
/** Far longer than one row may take. */
const STILL_MS = 10 * 60_000

/** An adapter, which answers beside the thread. */
interface Based {
  readonly runner: RecipeRunner
  readonly archive: LoadedArchive
}

/** The artifacts of a gate, the kinds of their recipes, and when an answer is right. */
export interface Opening {
  readonly artifactIds: readonly string[]
  readonly kinds: RecipeKinds
  readonly equality: Equality
}

/** Opens the artifacts of a gate. Throws `not_found`, `artifact_revoked`, `artifact_expired` and `invalid_archive`. */
export async function openScorer(deps: GateDeps, op: Operation, opening: Opening): Promise<Scorer> {
  const { kinds, equality } = opening
  const artifactIds = [...new Set(opening.artifactIds)]
  const pure = artifactIds.filter((artifactId) => !needsBase({ kind: 'artifact', artifactId }, kinds))
  const based = new Map<string, Based>()
  for (const artifactId of artifactIds) {
    if (pure.includes(artifactId)) continue
    const archive = await loadArchive(await readArchive(op, artifactId))
    based.set(artifactId, { runner: startRecipe(archive.recipe, checkedBases(deps.generators)), archive })
  }
  let thread = pure.length === 0 ? null : await openThread(op, pure, equality)
  return {
    async score(artifactId, rows, signal) {
      const adapter = based.get(artifactId)
      if (adapter !== undefined) {
        const right = rows.map(async (row) => await isRight(adapter, row, equality, signal))
        return Uint8Array.from(await Promise.all(right))
      }
      thread ??= await openThread(op, pure, equality)
      return await thread.run('score', { side: artifactId, rows }, { signal })
    },
    async close() {
      const ending = thread
      thread = null
      await ending?.end(new ThreadFailure('thread_closed', 'the gate scores no rows now'))
    },
  }
}

/** Starts a thread with the artifacts of a gate that need no base. */
async function openThread(
  op: Operation,
  artifactIds: readonly string[],
  equality: Equality,
): Promise<TaskThread<ScoreTasks>> {
  const thread = new TaskThread<ScoreTasks>({
    file: new URL('../../../core/learn/gate/score/score-thread.ts', import.meta.url),
    name: 'gate',
    memoryMb: MEMORY_MB,
    stillMs: STILL_MS,
    onAbort: 'end',
  })
  try {
    await thread.run('compare', { equality })
    for (const side of artifactIds) await thread.run('open', { side, archive: await readArchive(op, side) })
    return thread
  } catch (error) {
    await thread.end(new ThreadFailure('thread_closed', 'the artifacts of the gate cannot be opened'))
    throw error
  }
}

async function isRight(
  { runner, archive }: Based,
  { input, output }: HoldoutRow,
  equality: Equality,
  signal: AbortSignal,
): Promise<number> {
  try {
    const { result } = await runner.run(input, { signal })
    const answer = archive.guard(input, result)
    return !answer.abstained && isSameOutput(equality, answer.output, output) ? 1 : 0
  } catch (error) {
    if (MODEL_ERRORS.recipe_failed.matches(error) || MODEL_ERRORS.context_exceeded.matches(error)) return 0
    throw error
  }
}
