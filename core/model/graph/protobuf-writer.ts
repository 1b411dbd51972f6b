const WIRE_VARINT = 0
const WIRE_FIXED64 = 1
const WIRE_LENGTH_DELIMITED = 2
const WIRE_FIXED32 = 5

const encoder = new TextEncoder()

/** Unsigned base-128 varint; negative numbers as 64-bit two's complement, as int64 fields are written. */
function varint(value: number): number[] {
  const bytes: number[] = []
  if (value < 0) {
    let rest = BigInt.asUintN(64, BigInt(value))
    while (rest > 0x7fn) {
      bytes.push(Number(rest & 0x7fn) | 0x80)
      rest >>= 7n
    }
    bytes.push(Number(rest))
    return bytes
  }
  let rest = value
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  bytes.push(rest)
  return bytes
}

/**
 * Writes one protocol-buffer message (https://protobuf.dev/programming-guides/encoding/) as a list of chunks, so that
 * large tensors are copied once, when the whole message is joined.
 */
export class ProtobufWriter {
  readonly #chunks: Uint8Array[] = []
  #size = 0

  /** Bytes written so far. */
  get size(): number {
    return this.#size
  }

  get chunks(): readonly Uint8Array[] {
    return this.#chunks
  }

  #push(bytes: Uint8Array): void {
    this.#chunks.push(bytes)
    this.#size += bytes.length
  }

  #tag(field: number, wire: number, ...rest: readonly number[]): void {
    this.#push(Uint8Array.from([...varint(field * 8 + wire), ...rest]))
  }

  /** An int32, int64, bool or enum field; `value` is an integer of at most 53 bits. */
  integer(field: number, value: number): void {
    this.#tag(field, WIRE_VARINT, ...varint(value))
  }

  float(field: number, value: number): void {
    this.#tag(field, WIRE_FIXED32, ...new Uint8Array(Float32Array.of(value).buffer))
  }

  double(field: number, value: number): void {
    this.#tag(field, WIRE_FIXED64, ...new Uint8Array(Float64Array.of(value).buffer))
  }

  bytes(field: number, value: Uint8Array): void {
    this.#tag(field, WIRE_LENGTH_DELIMITED, ...varint(value.length))
    this.#push(value)
  }

  string(field: number, value: string): void {
    this.bytes(field, encoder.encode(value))
  }

  message(field: number, write: (inner: ProtobufWriter) => void): void {
    const inner = new ProtobufWriter()
    write(inner)
    this.#tag(field, WIRE_LENGTH_DELIMITED, ...varint(inner.size))
    for (const chunk of inner.chunks) this.#push(chunk)
  }

  /** The message as one array. */
  toBytes(): Uint8Array {
    const bytes = new Uint8Array(this.#size)
    let offset = 0
    for (const chunk of this.#chunks) {
      bytes.set(chunk, offset)
      offset += chunk.length
    }
    return bytes
  }
}
