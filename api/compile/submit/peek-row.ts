import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import { linesOfText } from '../../../core/compile/rows/table/json/json-items.ts'

/** Bytes in which the first row is looked for; an example is shorter. */
const PEEK_BYTES = 64 * 1024

/** The stream of a file of JSON lines, and whether its rows may have the names of examples already. */
export interface PeekedRows {
  /** False when the first row is an object without `input` and `prompt`, so that its members are columns. */
  readonly mayBeExamples: boolean
  readonly all: AsyncGenerator<Uint8Array>
}

/** Looks at the first row of a file of JSON lines and returns the whole stream. */
export async function peekRow(bytes: AsyncGenerator<Uint8Array>): Promise<PeekedRows> {
  const held: Uint8Array[] = []
  const row = await firstRow(textOf(recording(bytes, held)))
  const isTable = isJsonObject(row) && !Object.hasOwn(row, 'input') && !Object.hasOwn(row, 'prompt')
  return { mayBeExamples: !isTable, all: rejoined(held, bytes) }
}

/** The first row, or undefined when there is none or it is no JSON: its reader refuses it. */
async function firstRow(pieces: AsyncIterable<string>): Promise<Json | undefined> {
  for await (const { text } of linesOfText(pieces, { chars: PEEK_BYTES * 2, depth: 0 })) {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  }
  return undefined
}

async function* textOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true })
}

/** Chunks up to the bound, which stay in `held`. The stream stays open for the rest. */
async function* recording(bytes: AsyncGenerator<Uint8Array>, held: Uint8Array[]): AsyncGenerator<Uint8Array> {
  let size = 0
  while (size < PEEK_BYTES) {
    const { done, value } = await bytes.next()
    if (done === true) return
    held.push(value)
    size += value.length
    yield value.subarray(0, PEEK_BYTES)
  }
}

async function* rejoined(held: readonly Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* held
  yield* rest
}
