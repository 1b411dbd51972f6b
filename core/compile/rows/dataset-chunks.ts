import { loopTurn } from '../../kernel/threads/fair/in-slices.ts'

const PIECE_BYTES = 16 * 1024

/** Returns bytes as the chunks that a stored data set is read from; other work gets its turn between two of them. */
export async function* datasetChunks(bytes: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = bytes instanceof Uint8Array ? [bytes] : bytes
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += PIECE_BYTES) {
      yield piece.subarray(at, at + PIECE_BYTES)
      await loopTurn()
    }
  }
}
