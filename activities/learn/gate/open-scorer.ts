import { isSameOutput } from '../../../core/compile/rows/equality/same-output.ts'
import type { Equality } from '../../../core/compile/rows/equality/equality.ts'
import { checkedBases } from '../../../core/compile/runtime/check-weights.ts'
import { loadArchive, type LoadedArchive } from '../../../core/compile/runtime/load-archive.ts'
import { startRecipe, type RecipeRunner } from '../../../core/compile/runtime/start-recipe.ts'
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

/** Opens the artifacts of a gate. Throws `not_found`, `artifact_revoked`, `artifact_expired` and `invalid_archive`. */
export async function openScorer(
  deps: GateDeps,
  op: Operation,
  { artifactIds, equality }: { readonly artifactIds: readonly string[]; readonly equality: Equality },
): Promise<Scorer> {
  const thread = new TaskThread<ScoreTasks>({
    file: new URL('../../../core/learn/gate/score/score-thread.ts', import.meta.url),
    name: 'gate',
    memoryMb: MEMORY_MB,
    stillMs: STILL_MS,
    onAbort: 'end',
  })
  const close = async () => await thread.end(new ThreadFailure('thread_closed', 'the gate is scored'))
  const based = new Map<string, Based>()
  try {
    await thread.run('compare', { equality })
    for (const artifactId of new Set(artifactIds)) {
      const archive = await readArchive(op, artifactId)
      if (await thread.run('open', { side: artifactId, archive })) continue
      const loaded = await loadArchive(archive)
      based.set(artifactId, { runner: startRecipe(loaded.recipe, checkedBases(deps.generators)), archive: loaded })
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    async score(artifactId, rows, signal) {
      const adapter = based.get(artifactId)
      if (adapter === undefined) return await thread.run('score', { side: artifactId, rows }, { signal })
      return Uint8Array.from(await Promise.all(rows.map(async (row) => await isRight(adapter, row, equality, signal))))
    },
    close,
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
