/**
 * GGUF version 3, little-endian: magic, version, counts, typed key-value pairs, a directory of tensors, and their data,
 * each tensor on a boundary of 32 bytes (ggml-org/ggml, docs/gguf.md).
 */

/** A typed value of the metadata. */
export type GgufValue =
  | { readonly type: 'uint32' | 'float32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'int32s'; readonly value: readonly number[] }

/** Key-value pairs in the order in which they are written. */
export type GgufMetadata = readonly (readonly [key: string, value: GgufValue])[]

/** Element types of a tensor, by ggml's type number. */
export const GGML_TYPES = { F32: 0, F16: 1, Q8_0: 8 } as const
/** A type of elements. */
export type GgmlType = keyof typeof GGML_TYPES

/** A tensor to write. */
export interface GgufTensor {
  readonly name: string
  /** Row-major extents, the slowest first; the file has them the other way round. */
  readonly shape: readonly number[]
  readonly type: GgmlType
  readonly sizeBytes: number
  /** The encoded data in pieces, `sizeBytes` in all. */
  readonly pieces: () => Iterable<Uint8Array>
}

/** A file that is made while it is read. */
export interface GgufFile {
  readonly sizeBytes: number
  readonly pieces: () => Iterable<Uint8Array>
}

const MAGIC = 'GGUF'
const VERSION = 3
const ALIGNMENT = 32
const VALUE_TYPES = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const
const MOST_DIMENSIONS = 4

/** Lays out a GGUF file: everything but the data is in memory, the data is read from the tensors one by one. */
export function layOutGguf(metadata: GgufMetadata, tensors: readonly GgufTensor[]): GgufFile {
  const header = new LittleEndianWriter()
  header.ascii(MAGIC)
  header.uint32(VERSION)
  header.uint64(tensors.length)
  header.uint64(metadata.length)
  for (const [key, value] of metadata) {
    header.text(key)
    writeValue(header, value)
  }
  let offset = 0
  for (const { name, shape, type, sizeBytes } of tensors) {
    if (shape.length > MOST_DIMENSIONS) throw new Error(`tensor ${name} has more than ${MOST_DIMENSIONS} dimensions`)
    header.text(name)
    header.uint32(shape.length)
    for (const extent of shape.toReversed()) header.uint64(extent)
    header.uint32(GGML_TYPES[type])
    header.uint64(offset)
    offset += aligned(sizeBytes)
  }
  const head = header.toBytes()
  const dataStart = aligned(head.length)
  return {
    sizeBytes: dataStart + offset,
    *pieces() {
      yield head
      yield* padding(head.length)
      for (const tensor of tensors) {
        yield* tensor.pieces()
        yield* padding(tensor.sizeBytes)
      }
    },
  }
}

function writeValue(writer: LittleEndianWriter, value: GgufValue): void {
  switch (value.type) {
    case 'uint32':
      writer.uint32(VALUE_TYPES.uint32)
      writer.uint32(value.value)
      break
    case 'float32':
      writer.uint32(VALUE_TYPES.float32)
      writer.float32(value.value)
      break
    case 'bool':
      writer.uint32(VALUE_TYPES.bool)
      writer.uint8(value.value ? 1 : 0)
      break
    case 'string':
      writer.uint32(VALUE_TYPES.string)
      writer.text(value.value)
      break
    case 'strings':
      writer.uint32(VALUE_TYPES.array)
      writer.uint32(VALUE_TYPES.string)
      writer.uint64(value.value.length)
      for (const text of value.value) writer.text(text)
      break
    case 'int32s':
      writer.uint32(VALUE_TYPES.array)
      writer.uint32(VALUE_TYPES.int32)
      writer.uint64(value.value.length)
      for (const integer of value.value) writer.int32(integer)
      break
  }
}

function aligned(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT
}

function* padding(size: number): Iterable<Uint8Array> {
  const missing = aligned(size) - size
  if (missing > 0) yield new Uint8Array(missing)
}

/** Collects little-endian fields in a buffer that grows. */
class LittleEndianWriter {
  #bytes = new Uint8Array(1 << 16)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  uint8(value: number): void {
    const at = this.#claim(1)
    this.#view.setUint8(at, value)
  }

  uint32(value: number): void {
    const at = this.#claim(4)
    this.#view.setUint32(at, value, true)
  }

  int32(value: number): void {
    const at = this.#claim(4)
    this.#view.setInt32(at, value, true)
  }

  float32(value: number): void {
    const at = this.#claim(4)
    this.#view.setFloat32(at, value, true)
  }

  uint64(value: number): void {
    const at = this.#claim(8)
    this.#view.setBigUint64(at, BigInt(value), true)
  }

  ascii(text: string): void {
    this.#put(Buffer.from(text, 'latin1'))
  }

  /** The length in bytes as a 64-bit integer, then UTF-8. */
  text(text: string): void {
    const bytes = Buffer.from(text, 'utf8')
    this.uint64(bytes.length)
    this.#put(bytes)
  }

  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #put(bytes: Uint8Array): void {
    const at = this.#claim(bytes.length)
    this.#bytes.set(bytes, at)
  }

  #claim(size: number): number {
    const at = this.#length
    this.#length += size
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2))
      grown.set(this.#bytes.subarray(0, at))
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    return at
  }
}
