import type { Samples } from './decode-wav.ts'

/** Crossings of zero of the sinc on each side. */
const ZEROS = 32
/** Shape of the Kaiser window: about 90 dB of stop band (Kaiser & Schafer, 1980). */
const BETA = 9
/** Share of the band that is passed. */
const ROLLOFF = 0.95

/**
 * Resamples by a windowed sinc (Smith, "Digital Audio Resampling"): each output is the input convolved with the ideal low
 * pass of the narrower of the two bands. The coefficients repeat with the phase, so each phase is computed once.
 */
export function resample({ rate, values }: Samples, toRate: number): Float32Array {
  if (rate === toRate) return values
  const divisor = greatestCommonDivisor(rate, toRate)
  const [up, down] = [toRate / divisor, rate / divisor]
  const cutoff = Math.min(1, up / down) * ROLLOFF
  const reach = Math.ceil(ZEROS / cutoff)
  const count = Math.ceil((values.length * up) / down)
  const resampled = new Float32Array(count)
  const phases = new Map<number, Float64Array>()
  for (let i = 0; i < count; i++) {
    const position = i * down
    const centre = Math.floor(position / up)
    const phase = position % up
    const taps = phases.get(phase) ?? tapsOf(phase / up, cutoff, reach)
    if (phases.size < MOST_PHASES) phases.set(phase, taps)
    const from = Math.max(0, reach - 1 - centre)
    const to = Math.min(taps.length, values.length - centre + reach - 1)
    let sum = 0
    for (let tap = from; tap < to; tap++) sum += (taps[tap] ?? 0) * (values[centre - reach + 1 + tap] ?? 0)
    resampled[i] = sum
  }
  return resampled
}

/** Phases that are held at once: an odd rate has thousands. */
const MOST_PHASES = 4096

/** Coefficients for an output that lies `fraction` of a sample behind the centre. */
function tapsOf(fraction: number, cutoff: number, reach: number): Float64Array {
  return Float64Array.from({ length: 2 * reach }, (_, tap) => {
    const distance = tap - reach + 1 - fraction
    const x = distance / reach
    if (Math.abs(x) >= 1) return 0
    return cutoff * sinc(distance * cutoff) * (bessel(BETA * Math.sqrt(1 - x * x)) / bessel(BETA))
  })
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/** The modified Bessel function of the first kind and order 0, by its series. */
function bessel(x: number): number {
  let sum = 1
  let term = 1
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
