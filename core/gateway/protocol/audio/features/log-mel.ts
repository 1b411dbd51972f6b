import { planFourier } from './fourier.ts'

/** Samples a second that the features are made of. */
export const MEL_RATE = 16_000
/** Samples of a window, and from one window to the next. */
export const WINDOW = 400
export const HOP = 160
const BINS = WINDOW / 2 + 1

/** Features of a sound: `bins` values for each frame, bin by bin as Whisper stores them. */
interface LogMel {
  readonly frames: number
  readonly bins: number
  readonly values: Float32Array
}

/**
 * Computes log-mel features as Whisper does (Radford et al., 2022; `whisper/audio.py`): power spectra of Hann windows of 400
 * samples every 160 with reflected ends, without the last one; filters on Slaney's mel scale with equal areas;
 * `log10` from 1e-10 up, at most 8 below the largest value, `(x + 4) / 4`. The sound is not padded to 30 seconds; one
 * shorter than a window is padded with zeros to its length.
 */
export function logMel(samples: Float32Array, bins: number): LogMel {
  const given = samples.length >= WINDOW ? samples : padded(samples)
  const frames = Math.floor(given.length / HOP)
  const filters = melFilters(bins)
  const values = new Float32Array(bins * frames)
  const [even, odd] = [new Float64Array(BINS), new Float64Array(BINS)]
  const spectra = spectraOf(given)
  let most = Number.NEGATIVE_INFINITY
  for (let frame = 0; frame < frames; frame++) {
    if (frame % 2 === 0) spectra(frame, even, odd)
    const power = frame % 2 === 0 ? even : odd
    for (const [bin, { from, weights }] of filters.entries()) {
      let sum = 0
      for (let k = 0; k < weights.length; k++) sum += (weights[k] ?? 0) * (power[from + k] ?? 0)
      const value = Math.log10(Math.max(sum, 1e-10))
      most = Math.max(most, value)
      values[bin * frames + frame] = value
    }
  }
  for (let i = 0; i < values.length; i++) values[i] = (Math.max(values[i] ?? 0, most - 8) + 4) / 4
  return { frames, bins, values }
}

function padded(samples: Float32Array): Float32Array {
  const whole = new Float32Array(WINDOW)
  whole.set(samples)
  return whole
}

/** Writes the power spectra of a frame and the next one: of one complex transform, which takes as long as for one. */
function spectraOf(samples: Float32Array): (frame: number, power: Float64Array, next: Float64Array) => void {
  const hann = Float64Array.from({ length: WINDOW }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW))
  const fourier = planFourier(WINDOW)
  const re = new Float64Array(WINDOW)
  const im = new Float64Array(WINDOW)
  const last = samples.length - 1
  const take = (frame: number, into: Float64Array): void => {
    for (let i = 0; i < WINDOW; i++) {
      const at = frame * HOP + i - WINDOW / 2
      const mirrored = at < 0 ? -at : at > last ? 2 * last - at : at
      into[i] = (samples[mirrored] ?? 0) * (hann[i] ?? 0)
    }
  }
  return (frame, power, next) => {
    take(frame, re)
    take(frame + 1, im)
    fourier.transform(re, im)
    for (let k = 0; k < BINS; k++) {
      const mirror = (WINDOW - k) % WINDOW
      const [a, b, c, d] = [re[k] ?? 0, im[k] ?? 0, re[mirror] ?? 0, im[mirror] ?? 0]
      power[k] = ((a + c) / 2) ** 2 + ((b - d) / 2) ** 2
      next[k] = ((b + d) / 2) ** 2 + ((c - a) / 2) ** 2
    }
  }
}

/** A triangle over the bins of a spectrum, from its first bin that counts. */
interface MelFilter {
  readonly from: number
  readonly weights: Float64Array
}

/** Filters of Slaney's Auditory Toolbox (1998): linear below 1 kHz, logarithmic above, each of the same area. */
function melFilters(count: number): readonly MelFilter[] {
  const highest = toMel(MEL_RATE / 2)
  const edges = Array.from({ length: count + 2 }, (_, i) => toHertz((highest * i) / (count + 1)))
  return Array.from({ length: count }, (_, i) => {
    const [low = 0, middle = 0, high = 0] = edges.slice(i, i + 3)
    const all = Array.from({ length: BINS }, (_bin, k) => {
      const hertz = (k * MEL_RATE) / WINDOW
      const height = Math.min((hertz - low) / (middle - low), (high - hertz) / (high - middle))
      return Math.max(0, height) * (2 / (high - low))
    })
    const from = Math.max(
      0,
      all.findIndex((weight) => weight > 0),
    )
    const end = all.findLastIndex((weight) => weight > 0) + 1
    return { from, weights: Float64Array.from(all.slice(from, Math.max(from, end))) }
  })
}

const LINEAR_HERTZ = 200 / 3
const LOG_FROM_HERTZ = 1000
const LOG_FROM_MEL = LOG_FROM_HERTZ / LINEAR_HERTZ
const LOG_STEP = Math.log(6.4) / 27

function toMel(hertz: number): number {
  if (hertz < LOG_FROM_HERTZ) return hertz / LINEAR_HERTZ
  return LOG_FROM_MEL + Math.log(hertz / LOG_FROM_HERTZ) / LOG_STEP
}

function toHertz(mel: number): number {
  if (mel < LOG_FROM_MEL) return mel * LINEAR_HERTZ
  return LOG_FROM_HERTZ * Math.exp(LOG_STEP * (mel - LOG_FROM_MEL))
}
