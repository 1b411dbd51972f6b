import { invalidField } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'

/** One line of a byte stream, without its line end. `number` counts from 1. */
export interface ByteLine {
  readonly number: number
  readonly bytes: Uint8Array
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line
}

/** Cuts a byte stream into lines. Throws `example_too_large` for a line longer than `maxBytes`. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<ByteLine> {
  let pending: Buffer[] = []
  let pendingBytes = 0
  let number = 0
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED, start); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      const line =
        pending.length === 0 ? bytes.subarray(start, end) : Buffer.concat([...pending, bytes.subarray(start, end)])
      pending = []
      pendingBytes = 0
      start = end + 1
      number++
      if (line.length > maxBytes) throw tooLong(number, maxBytes)
      yield { number, bytes: withoutReturn(line) }
    }
    if (start === bytes.length) continue
    // Copied, since a stream may reuse the memory of a chunk.
    pending.push(Buffer.from(bytes.subarray(start)))
    pendingBytes += bytes.length - start
    if (pendingBytes > maxBytes) throw tooLong(number + 1, maxBytes)
  }
  if (pendingBytes > 0) yield { number: number + 1, bytes: withoutReturn(Buffer.concat(pending)) }
}

function tooLong(number: number, maxBytes: number): Error {
  return invalidField(
    `line[${number}]`,
    `is longer than ${maxBytes} bytes; check the line ends of the file, or shorten the row`,
    MODEL_ERRORS.example_too_large,
  )
}
