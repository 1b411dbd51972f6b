/** Size of all chunks of a blob except the last. */
export const CHUNK_BYTES = 256 * 1024

/** Cuts bytes of any piece size into chunks of `CHUNK_BYTES`; holds at most one chunk and one piece. */
export async function* chunked(source: Uint8Array | AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const pieces = source instanceof Uint8Array ? [source] : source
  let held: Uint8Array[] = []
  let heldBytes = 0
  for await (const piece of pieces) {
    let rest = piece
    while (heldBytes + rest.length >= CHUNK_BYTES) {
      const taken = rest.subarray(0, CHUNK_BYTES - heldBytes)
      yield held.length === 0 ? taken : Buffer.concat([...held, taken])
      rest = rest.subarray(taken.length)
      held = []
      heldBytes = 0
    }
    // A copy, since a caller that sends small pieces may reuse its buffer.
    if (rest.length > 0) held.push(Buffer.from(rest))
    heldBytes += rest.length
  }
  if (heldBytes > 0) yield Buffer.concat(held)
}
