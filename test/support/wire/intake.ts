import { uploadBounds } from '../../../core/compile/rows/intake/bounds.ts'
import type { Example } from '../../../core/compile/rows/intake/example.ts'
import { examplesFromJsonl } from '../../../core/compile/rows/intake/sources.ts'
import { examplesOfFile } from '../../../core/compile/rows/table/table-examples.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'

const CHUNK_BYTES = 64 * 1024

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
}

async function readAll(examples: AsyncIterable<Example>): Promise<string> {
  try {
    for await (const example of examples) if (example.kind === 'negative') return 'a negative example'
    return 'read'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Reads a CSV file as an upload is read; the message of what is wrong with it, or `read`. */
export async function readCsv(text: string): Promise<string> {
  const file = { format: 'csv', mapping: {} } as const
  return await readAll(examplesOfFile(file, () => chunksOf(text), uploadBounds(DEFAULT_LIMITS)).examples)
}

/** The same for JSONL. */
export async function readJsonl(text: string): Promise<string> {
  return await readAll(examplesFromJsonl(chunksOf(text), uploadBounds(DEFAULT_LIMITS)))
}
