import { questionTexts } from '../../../core/learn/evals/bench/packs/read-pack.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { packsOfNamespace } from '../../../db/learn/bench/find-pack.ts'
import type { RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type DatasetDeps, type VersionInput } from './deps.ts'
import { save } from './gather-files.ts'

/**
 * Writes the questions of the packs of benchmarks in a namespace, and of those that the operator installed, as JSON lines, so that
 * the report finds rows to learn from that hold one. Returns null where there are none.
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
  const installed = await deps.installedQuestions(activity.signal)
  if (packs.length === 0 && installed.length === 0) return null
  const line = (id: string, text: string) => Buffer.from(`${JSON.stringify({ dataset_id: id, text })}\n`)
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    for (const { id, benchmark, blob, sizeBytes } of packs) {
      const texts = questionTexts(benchmark, await getBlob(deps.db, blob, sizeBytes))
      for (const text of texts) yield line(id, text)
    }
    for (const { id, texts } of installed) for (const text of texts) yield line(id, text)
  }
  await save(lines(), path, activity)
  return path
}
