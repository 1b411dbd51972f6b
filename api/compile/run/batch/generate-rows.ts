import { setTimeout as sleep } from 'node:timers/promises'
import { ChunkBuilder, type Chunk } from '../../../../core/compile/runtime/batch/chunk.ts'
import type { RowWriter } from '../../../../core/compile/runtime/batch/render-rows.ts'
import type { AnsweredRow, RowOutcome } from '../../../../core/compile/runtime/batch/row-outcome.ts'
import { runRowBeside } from '../../../../core/compile/runtime/batch/run-row.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import type { RunResult } from '../../../../core/compile/runtime/recipe.ts'
import { MODEL_ERRORS } from '../../../../core/model/errors.ts'
import type { CompileServices } from '../../services.ts'
import type { LoadedRecipe } from '../recipe-cache.ts'
import type { BatchStart, ReadRow } from './batch-task.ts'

/** Answers rows on a base, and returns them with their cost. */
export type Generation = (
  rows: readonly ReadRow[],
  signal: AbortSignal,
) => Promise<{
  readonly chunk: Chunk
  readonly cost: { readonly promptTokens: number; readonly newTokens: number; readonly generationMs: number }
}>

/** Pause before a row is tried again on a base that has too much to do, milliseconds. */
const BUSY_PAUSE_MS = 250

/** Makes the generation of a batch whose recipe is an adapter. */
export function createGeneration(
  services: CompileServices,
  { recipe, guard }: LoadedRecipe,
  writer: RowWriter,
  { versionId, artifactHash, signer, unsentRows }: Omit<BatchStart, 'kind'>,
): Generation {
  const run = {
    guard,
    versionId,
    artifactHash,
    signer,
    inputBytes: services.limits.run_input_bytes,
    now: services.now,
  }
  return async (rows, signal) => {
    if (recipe.kind === 'pure') throw new Error('a recipe without a base answers in its thread')
    const cost = { promptTokens: 0, newTokens: 0, generationMs: 0 }
    const generate = async (input: Json): Promise<RunResult> => {
      const { result, usage } = await unlessBusy(async () => await recipe.runner.run(input, { signal }), signal)
      if (usage !== null) {
        services.metrics.observeGeneration(recipe.baseName, usage)
        cost.promptTokens += usage.promptTokens
        cost.newTokens += usage.newTokens
        cost.generationMs += usage.generationMs
      }
      return result
    }
    const startedAt = performance.now()
    const answered = await Promise.all(
      rows.map(async ({ number, place, cells, value, error }): Promise<AnsweredRow> => {
        const row = { place, cells, value, fault: null }
        const outcome: RowOutcome = error === null ? await runRowBeside(row, generate, run) : { kind: 'error', error }
        return { number, row, outcome }
      }),
    )
    const builder = new ChunkBuilder(writer)
    for (const one of answered) builder.add(one, one.number > unsentRows)
    return { chunk: builder.finish(Math.round((performance.now() - startedAt) * 1000)), cost }
  }
}

/** Tries again while the base has too many callers: a batch waits where one call would be refused. */
async function unlessBusy<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!MODEL_ERRORS.model_busy.matches(error)) throw error
      await sleep(BUSY_PAUSE_MS, undefined, { signal })
    }
  }
}
