import { questionTexts } from '../../../core/learn/evals/bench/packs/read-pack.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { packsOfNamespace } from '../../../db/learn/bench/find-pack.ts'
import type { RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type DatasetDeps, type VersionInput } from './deps.ts'
import { save } from './gather-files.ts'

/**
 * Writes the questions of the packs of benchmarks in a namespace as JSON lines, so that the report finds rows to learn from that
 * hold one. Returns null where there are none.
 */
export async function gatherPacks(
  deps: DatasetDeps,
  ref: VersionInput,
  {
    namespace,
    path,
    activity,
  }: { readonly namespace: string; readonly path: string; readonly activity: RunningActivity },
): Promise<string | null> {
  const packs = await packsOfNamespace(operationOf(deps, ref), namespace)
  if (packs.length === 0) return null
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    for (const { id, benchmark, blob, sizeBytes } of packs) {
      for (const text of questionTexts(benchmark, await getBlob(deps.db, blob, sizeBytes))) {
        yield Buffer.from(`${JSON.stringify({ dataset_id: id, text })}\n`)
      }
    }
  }
  await save(lines(), path, activity)
  return path
}
