import { writeFloat16 } from '../../files/safetensors/half-floats.ts'
import type { GgmlType } from './container.ts'

/** Elements of a block of `Q8_0`. */
export const Q8_0_BLOCK = 32
/** A half-precision scale and one signed byte per element. */
const Q8_0_BLOCK_BYTES = 2 + Q8_0_BLOCK
/** Elements that are encoded at once; a whole number of blocks. */
const PIECE = 1 << 20

/** Returns the encoded size of a number of elements in bytes; for `Q8_0` a whole number of blocks. */
export function encodedBytes(type: GgmlType, elements: number): number {
  switch (type) {
    case 'F32':
      return elements * 4
    case 'F16':
      return elements * 2
    case 'Q8_0':
      return (elements / Q8_0_BLOCK) * Q8_0_BLOCK_BYTES
  }
}

/** The elements as ggml stores them, in pieces of bounded size. */
export function* encodePieces(type: GgmlType, data: Float32Array): Iterable<Uint8Array> {
  for (let start = 0; start < data.length; start += PIECE) {
    yield encode(type, data.subarray(start, start + PIECE))
  }
}

function encode(type: GgmlType, data: Float32Array): Uint8Array {
  switch (type) {
    case 'F32':
      return new Uint8Array(data.slice().buffer)
    case 'F16':
      return new Uint8Array(writeFloat16(data).buffer)
    case 'Q8_0':
      return quantizeQ8(data)
  }
}

/**
 * ggml's reference of `Q8_0` (`quantize_row_q8_0_ref`), in float32 as there: for each 32 elements d = max|x| / 127, each
 * element round(x / d) with halves away from zero; d is stored in half precision.
 */
export function quantizeQ8(data: Float32Array): Uint8Array {
  const blocks = data.length / Q8_0_BLOCK
  const scales = Float32Array.from({ length: blocks }, (_, block) => largestOf(data, block) / 127)
  const halves = writeFloat16(scales)
  const bytes = new Uint8Array(blocks * Q8_0_BLOCK_BYTES)
  const view = new DataView(bytes.buffer)
  for (let block = 0; block < blocks; block++) {
    const from = block * Q8_0_BLOCK
    const scale = scales[block] ?? 0
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale)
    const at = block * Q8_0_BLOCK_BYTES
    view.setUint16(at, halves[block] ?? 0, true)
    for (let index = 0; index < Q8_0_BLOCK; index++) {
      const scaled = Math.fround((data[from + index] ?? 0) * inverse)
      view.setInt8(at + 2 + index, Math.sign(scaled) * Math.floor(Math.abs(scaled) + 0.5))
    }
  }
  return bytes
}

function largestOf(data: Float32Array, block: number): number {
  let largest = 0
  const end = (block + 1) * Q8_0_BLOCK
  for (let index = end - Q8_0_BLOCK; index < end; index++) largest = Math.max(largest, Math.abs(data[index] ?? 0))
  return largest
}
