/**
 * Exponential and logarithm out of additions, multiplications and divisions, which IEEE 754 rounds in one way. Engines
 * may differ in the last digit of `Math.exp` and `Math.log`, and a fit would carry that digit into its choices.
 */

const LN2_HIGH = 6.9314718036912381649e-1
const LN2_LOW = 1.90821492927058770002e-10
const INVERSE_LN2 = 1.442695040888963387
/** Beyond these exponents the result is 0 or as good as infinite for a fit. */
const LEAST = -700
const MOST = 700
const TERMS = 14

const bits = new DataView(new ArrayBuffer(8))

/** 2 to the power of an integer from -1022 to 1023. */
function powerOfTwo(exponent: number): number {
  bits.setUint32(0, (exponent + 1023) << 20)
  bits.setUint32(4, 0)
  return bits.getFloat64(0)
}

const INVERSES = Float64Array.from({ length: TERMS + 1 }, (_, i) => 1 / Math.max(1, i))

/** e to the power of x, with x held between -700 and 700; the relative error is below 1e-15. */
export function exp(x: number): number {
  const held = x < LEAST ? LEAST : x > MOST ? MOST : x
  const exponent = Math.round(held * INVERSE_LN2)
  const rest = held - exponent * LN2_HIGH - exponent * LN2_LOW
  let sum = 1
  for (let i = TERMS; i > 0; i--) sum = 1 + rest * (INVERSES[i] ?? 0) * sum
  return sum * powerOfTwo(exponent)
}

/** The natural logarithm of a normal positive number; the relative error is below 1e-14. */
export function log(x: number): number {
  bits.setFloat64(0, x)
  const high = bits.getUint32(0)
  let exponent = (high >>> 20) - 1023
  bits.setUint32(0, (high & 0xfffff) | (1023 << 20))
  let mantissa = bits.getFloat64(0)
  if (mantissa > Math.SQRT2) {
    mantissa /= 2
    exponent++
  }
  // ln m = 2 artanh((m - 1) / (m + 1)), whose argument is at most 0.172.
  const ratio = (mantissa - 1) / (mantissa + 1)
  const square = ratio * ratio
  let sum = 0
  for (let i = 23; i >= 1; i -= 2) sum = sum * square + 1 / i
  return exponent * LN2_HIGH + (2 * ratio * sum + exponent * LN2_LOW)
}

/** 1 / (1 + e^-x). */
export function sigmoid(x: number): number {
  return 1 / (1 + exp(-x))
}

/** Replaces scores by `e^score / sum`, in place, from `from` to `from + count`. */
export function softmax(scores: Float64Array, from = 0, count = scores.length): void {
  let largest = -Infinity
  for (let i = from; i < from + count; i++) largest = Math.max(largest, scores[i] ?? 0)
  let sum = 0
  for (let i = from; i < from + count; i++) {
    const value = exp((scores[i] ?? 0) - largest)
    scores[i] = value
    sum += value
  }
  for (let i = from; i < from + count; i++) scores[i] = (scores[i] ?? 0) / sum
}

/** A number rounded to decimals, a half upwards; as it is when it is too large for that. */
export function roundTo(number: number, decimals: number): number {
  const factor = Number(`1e${decimals}`)
  const rounded = Math.floor(number * factor + 0.5) / factor
  return Number.isFinite(rounded) ? rounded + 0 : number
}
