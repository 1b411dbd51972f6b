import { writeBfloat16, writeFloat16 } from './half-floats.ts'
import { DTYPE_BYTES, PREFIX_BYTES, type Dtype } from './header.ts'
import { countElements } from '../tensors.ts'

/**
 * A tensor to be written; `dtype` is the storage type of its elements. Data given as a function is requested once, when
 * its part is written.
 */
export interface TensorToWrite {
  readonly name: string
  readonly dtype: Dtype
  readonly shape: readonly number[]
  readonly data: Float32Array | (() => Float32Array)
}

const ALIGNMENT = 8
/** Wider element types come first, so that every tensor is aligned; the order of the reference implementation. */
const DTYPE_ORDER: Readonly<Record<Dtype, number>> = { F32: 0, BF16: 1, F16: 2 }

/**
 * Writes a safetensors file. Its bytes depend only on the tensors and the metadata: the layout is that of the reference
 * implementation (element type, then name; header padded with spaces to a multiple of eight). Throws a `RangeError` for
 * data that does not fill its shape.
 */
export function writeSafetensors(
  tensors: readonly TensorToWrite[],
  metadata: Readonly<Record<string, string>> = { format: 'pt' },
): Uint8Array<ArrayBuffer> {
  const ordered = orderTensors(tensors)
  const header = encodeHeader(ordered, metadata)
  const dataBytes = ordered.reduce((sum, tensor) => sum + byteSize(tensor), 0)
  const file = new Uint8Array(header.length + dataBytes)
  file.set(header)
  let offset = header.length
  for (const tensor of ordered) {
    file.set(encodeTensor(tensor), offset)
    offset += byteSize(tensor)
  }
  return file
}

/**
 * The same file in pieces, header first and then tensor by tensor, for files that should not be in memory as a whole.
 * Throws as `writeSafetensors`.
 */
export function* eachSafetensorsPart(
  tensors: readonly TensorToWrite[],
  metadata: Readonly<Record<string, string>> = { format: 'pt' },
): Generator<Uint8Array<ArrayBuffer>> {
  const ordered = orderTensors(tensors)
  yield encodeHeader(ordered, metadata)
  for (const tensor of ordered) yield encodeTensor(tensor)
}

function orderTensors(tensors: readonly TensorToWrite[]): readonly TensorToWrite[] {
  return tensors.toSorted(
    (one, other) =>
      DTYPE_ORDER[one.dtype] - DTYPE_ORDER[other.dtype] || (one.name < other.name ? -1 : Number(one.name > other.name)),
  )
}

function encodeHeader(
  ordered: readonly TensorToWrite[],
  metadata: Readonly<Record<string, string>>,
): Uint8Array<ArrayBuffer> {
  let offset = 0
  const members = ordered.map((tensor) => {
    const end = offset + byteSize(tensor)
    const entry = { dtype: tensor.dtype, shape: tensor.shape, data_offsets: [offset, end] }
    offset = end
    return `${JSON.stringify(tensor.name)}:${JSON.stringify(entry)}`
  })
  const text = `{${[`"__metadata__":${JSON.stringify(metadata)}`, ...members].join(',')}}`
  const json = new TextEncoder().encode(text)
  const size = Math.ceil(json.length / ALIGNMENT) * ALIGNMENT
  const header = new Uint8Array(PREFIX_BYTES + size).fill(0x20)
  new DataView(header.buffer).setBigUint64(0, BigInt(size), true)
  header.set(json, PREFIX_BYTES)
  return header
}

function byteSize({ dtype, shape }: TensorToWrite): number {
  return countElements(shape) * DTYPE_BYTES[dtype]
}

function encodeTensor({ name, dtype, shape, data }: TensorToWrite): Uint8Array<ArrayBuffer> {
  const values = typeof data === 'function' ? data() : data
  if (values.length !== countElements(shape)) {
    throw new RangeError(`${name} has ${values.length} elements for [${shape.join(', ')}]`)
  }
  if (dtype === 'F32') return new Uint8Array(new Float32Array(values).buffer)
  return new Uint8Array((dtype === 'F16' ? writeFloat16(values) : writeBfloat16(values)).buffer)
}
