import { DomainError, type DefinedError } from '../../../kernel/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { parseJsonText } from '../../../kernel/json/json-text.ts'
import { decodeUtf8 } from '../../../kernel/json/utf8.ts'

/** The element types that are read and written, with their sizes in bytes. */
export const DTYPE_BYTES = { F32: 4, F16: 2, BF16: 2 } as const

export type Dtype = keyof typeof DTYPE_BYTES

/** Position of a tensor in its file. */
export interface TensorEntry {
  readonly name: string
  readonly dtype: Dtype
  readonly shape: readonly number[]
  /** Of its first byte, from the start of the file. */
  readonly offset: number
  readonly sizeBytes: number
}

/** Error code of a bad file, and the file's name in messages. */
export interface FileLabel {
  readonly file: string
  readonly error: DefinedError<'invalid_model' | 'invalid_adapter'>
}

/** Bytes of the length in front of the header. */
export const PREFIX_BYTES = 8
/** As the reference implementation bounds it. */
const MOST_HEADER_BYTES = 100_000_000
const MOST_DIMENSIONS = 8
const HEADER_DEPTH = 4

/**
 * The size of the header that starts after the first eight bytes of a safetensors file. Throws the label's code when
 * the header would be larger than 100 MB or than the file.
 */
export function readHeaderSize(prefix: Uint8Array, fileBytes: number, label: FileLabel): number {
  if (fileBytes < PREFIX_BYTES || prefix.length < PREFIX_BYTES) {
    throw refuse(label, 'is truncated: not even the length of its header is there')
  }
  const size = new DataView(prefix.buffer, prefix.byteOffset, PREFIX_BYTES).getBigUint64(0, true)
  if (size > BigInt(MOST_HEADER_BYTES)) throw refuse(label, `states a header of ${size} bytes; at most 100 MB is read`)
  if (PREFIX_BYTES + Number(size) > fileBytes) {
    throw refuse(label, `is truncated: its header of ${size} bytes goes beyond the file of ${fileBytes} bytes`)
  }
  return Number(size)
}

/**
 * Returns the tensors of a safetensors file, in the order of their bytes, from its header and the size of the file. The
 * header must be exact: every byte after it belongs to exactly one tensor, and each tensor has as many bytes as its
 * shape and element type need. Otherwise throws the label's code, naming the tensor, and also for element types other
 * than F32, F16 and BF16.
 */
export function parseHeader(header: Uint8Array, fileBytes: number, label: FileLabel): readonly TensorEntry[] {
  const start = PREFIX_BYTES + header.length
  const entries = Object.entries(parseHeaderJson(header, label))
    .filter(([name]) => name !== '__metadata__')
    .map(([name, value]) => readEntry(name, value, start, label))
    .toSorted((one, other) => one.offset - other.offset || one.sizeBytes - other.sizeBytes)
  let end = start
  for (const { name, offset, sizeBytes } of entries) {
    if (offset < end) throw refuse(label, `tensor ${quote(name)} overlaps the one before it`)
    if (offset > end) throw refuse(label, `${offset - end} bytes before tensor ${quote(name)} belong to no tensor`)
    end = offset + sizeBytes
    if (end > fileBytes) {
      throw refuse(label, `tensor ${quote(name)} ends at byte ${end}, beyond the file of ${fileBytes} bytes`)
    }
  }
  if (end !== fileBytes) throw refuse(label, `${fileBytes - end} bytes at its end belong to no tensor`)
  return entries
}

function parseHeaderJson(header: Uint8Array, label: FileLabel): JsonObject {
  let value: Json
  try {
    value = parseJsonText(decodeUtf8(header, 'header'), HEADER_DEPTH, 'header')
  } catch (cause) {
    const problem = cause instanceof DomainError ? cause.message : 'cannot be read'
    throw label.error(`${label.file}: ${problem}`, { cause })
  }
  if (!isJsonObject(value)) throw refuse(label, 'its header must be a JSON object')
  const metadata = value['__metadata__']
  if (metadata !== undefined) {
    const isTexts = isJsonObject(metadata) && Object.values(metadata).every((each) => typeof each === 'string')
    if (!isTexts) throw refuse(label, '__metadata__ has to hold texts')
  }
  return value
}

function readEntry(name: string, value: Json, start: number, label: FileLabel): TensorEntry {
  if (!isJsonObject(value)) throw refuse(label, `tensor ${quote(name)} is no object`)
  const { dtype, shape, data_offsets: offsets } = value
  if (!isDtype(dtype)) {
    const given = typeof dtype === 'string' ? quote(dtype) : 'that is no text'
    throw refuse(label, `tensor ${quote(name)} has the element type ${given}; F32, F16 and BF16 are supported`)
  }
  if (!isSizes(shape) || shape.length > MOST_DIMENSIONS) {
    throw refuse(label, `tensor ${quote(name)} has no shape of at most ${MOST_DIMENSIONS} whole numbers`)
  }
  if (!isSizes(offsets) || offsets.length !== 2) throw refuse(label, `tensor ${quote(name)} has no two data_offsets`)
  const [from = 0, to = 0] = offsets
  if (to < from) throw refuse(label, `tensor ${quote(name)} ends before it starts`)
  const elements = shape.reduce((product, size) => product * BigInt(size), 1n)
  const needed = elements * BigInt(DTYPE_BYTES[dtype])
  if (needed !== BigInt(to) - BigInt(from)) {
    throw refuse(
      label,
      `tensor ${quote(name)} has ${to - from} bytes, and ${dtype} [${shape.join(', ')}] needs ${needed}`,
    )
  }
  return { name, dtype, shape, offset: start + from, sizeBytes: to - from }
}

function isDtype(value: Json | undefined): value is Dtype {
  return typeof value === 'string' && Object.hasOwn(DTYPE_BYTES, value)
}

function isSizes(value: Json | undefined): value is readonly number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0)
}

/** A name from a file, short enough for a message. */
function quote(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)
}

function refuse({ file, error }: FileLabel, problem: string): DomainError {
  return error(`${file}: ${problem}`)
}
