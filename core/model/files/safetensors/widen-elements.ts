import { readBfloat16, readFloat16 } from './half-floats.ts'
import type { Dtype } from './header.ts'

/** Widens stored little-endian elements to float32, exactly. `bytes` starts at a multiple of the element's size. */
export function widenElements(dtype: Dtype, bytes: Uint8Array<ArrayBuffer>, target: Float32Array): void {
  const { buffer, byteOffset, length } = bytes
  if (dtype === 'F32') {
    target.set(new Float32Array(buffer, byteOffset, length / 4))
    return
  }
  const source = new Uint16Array(buffer, byteOffset, length / 2)
  const bits = new Uint32Array(target.buffer, target.byteOffset, target.length)
  if (dtype === 'F16') readFloat16(source, bits)
  else readBfloat16(source, bits)
}
