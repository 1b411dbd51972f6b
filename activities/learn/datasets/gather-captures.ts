import { isJsonObject, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import type { VersionSource } from '../../../core/learn/datasets/version-request.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { takenCaptures } from '../../../db/learn/datasets/taken-captures.ts'
import type { RunningActivity } from '../../kernel/run-activity.ts'
import { save } from './gather-files.ts'

/** The number of skipped captures, by reason. */
export type SkippedCaptures = Readonly<Record<string, number>>

/**
 * Writes the captures that a version takes as JSON lines: prompt and completion as an own artifact would be asked, the
 * reviewer's output where there is one. Forgotten captures are none of them. Returns why others became no row.
 */
export async function gatherCaptures(
  op: Operation,
  {
    namespace,
    source,
    limits,
  }: { readonly namespace: string; readonly source: VersionSource; readonly limits: Limits },
  { path, activity }: { readonly path: string; readonly activity: RunningActivity },
): Promise<SkippedCaptures> {
  const skipped: Record<string, number> = {}
  const { captures } = source
  if (captures === null) return skipped
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    for await (const batch of takenCaptures(op, { namespace, captures, limits })) {
      const texts: string[] = []
      for (const { id, conversationId, example } of batch) {
        if ('skipped' in example) {
          skipped[example.skipped] = (skipped[example.skipped] ?? 0) + 1
          continue
        }
        const row: JsonObject = { prompt: example.input, completion: example.output }
        texts.push(`${JSON.stringify({ id, conversation: conversationId, row })}\n`)
      }
      yield Buffer.from(texts.join(''))
    }
  }
  await save(lines(), path, activity)
  return skipped
}

/** Reads the captures that a build used, batch by batch. */
export async function* usedCaptures(
  lines: AsyncIterable<{ readonly bytes: Uint8Array }>,
): AsyncGenerator<readonly { readonly capture: string; readonly row: string }[]> {
  const decoder = new TextDecoder()
  let batch: { capture: string; row: string }[] = []
  for await (const { bytes } of lines) {
    const value: Json = JSON.parse(decoder.decode(bytes))
    const { capture, row } = isJsonObject(value) ? value : {}
    if (typeof capture !== 'string' || typeof row !== 'string') throw new Error('a used capture has no row')
    batch.push({ capture, row })
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Captures that are recorded in one statement. */
const BATCH = 2000
