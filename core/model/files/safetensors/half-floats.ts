const BITS = new Uint32Array(1)
const FLOAT = new Float32Array(BITS.buffer)

/** Every float16 as the bits of its float32: 65,536 entries. */
const F16_TO_F32_BITS: Uint32Array = Uint32Array.from({ length: 0x10000 }, (_, half) => widenFloat16(half))

/** Widens float16 values (IEEE 754 binary16, as their bits) to float32; exact. */
export function readFloat16(source: Uint16Array, target: Uint32Array): void {
  for (let i = 0; i < source.length; i++) target[i] = F16_TO_F32_BITS[source[i] ?? 0] ?? 0
}

/** Widens bfloat16 values, the upper halves of float32 values, to float32; exact. */
export function readBfloat16(source: Uint16Array, target: Uint32Array): void {
  for (let i = 0; i < source.length; i++) target[i] = (source[i] ?? 0) << 16
}

/**
 * Returns the bits of the float16 values nearest to float32 values, ties to even; values beyond the range become
 * infinite.
 */
export function writeFloat16(source: Float32Array): Uint16Array<ArrayBuffer> {
  const target = new Uint16Array(source.length)
  for (let i = 0; i < source.length; i++) target[i] = toFloat16(source[i] ?? 0)
  return target
}

/** The bits of the bfloat16 values nearest to float32 values, ties to even. */
export function writeBfloat16(source: Float32Array): Uint16Array<ArrayBuffer> {
  const target = new Uint16Array(source.length)
  for (let i = 0; i < source.length; i++) target[i] = toBfloat16(source[i] ?? 0)
  return target
}

/** The bits of the float16 nearest to one float32, as `writeFloat16`. */
export function toFloat16(value: number): number {
  FLOAT[0] = value
  const bits = BITS[0] ?? 0
  const sign = (bits >>> 16) & 0x8000
  const rest = bits & 0x7fffffff
  if (rest > 0x7f800000) return sign | 0x7e00
  // 65520, halfway between the largest float16 and the power of two that follows it.
  if (rest >= 0x477ff000) return sign | 0x7c00
  if (rest >= 0x38800000) return sign | roundBits(rest - 0x38000000, 13)
  // Below the smallest normal float16, 2^-14: a multiple of 2^-24, and a double holds the product exactly.
  return sign | roundEven(Math.abs(FLOAT[0] ?? 0) * 2 ** 24)
}

function toBfloat16(value: number): number {
  FLOAT[0] = value
  const bits = BITS[0] ?? 0
  if ((bits & 0x7fffffff) > 0x7f800000) return ((bits >>> 16) & 0x8000) | 0x7fc0
  return ((bits >>> 16) & 0x8000) | roundBits(bits & 0x7fffffff, 16)
}

/** Drops the lowest `count` bits of a whole number below 2^31, rounding to nearest, ties to even. */
function roundBits(value: number, count: number): number {
  const half = 2 ** (count - 1)
  const isOdd = (value >>> count) & 1
  return (value + half - 1 + isOdd) >>> count
}

function roundEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1
  return floor % 2 === 0 ? floor : floor + 1
}

function widenFloat16(half: number): number {
  const sign = (half & 0x8000) === 0 ? 1 : -1
  const exponent = (half >>> 10) & 0x1f
  const fraction = half & 0x3ff
  if (exponent === 0x1f) return (((half & 0x8000) << 16) | 0x7f800000 | (fraction << 13)) >>> 0
  FLOAT[0] = exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
  return BITS[0] ?? 0
}
