import type { FitLane } from '../lanes.ts'
import { COLD_START_S, referenceSpeed } from './reference.ts'

/** The amount of text that a fit will read. */
export interface FitSize {
  /** Tokens of one pass over all train rows. */
  readonly tokens: number
  readonly epochs: number
  /** Rows whose tokens were counted; 0 where there are none and the formula stands alone. */
  readonly countedRows: number
  readonly rows: number
}

/** Speed of earlier fits of this service on the lane, tokens a second. */
export interface MeasuredSpeed {
  readonly low: number
  readonly mean: number
  readonly high: number
  readonly fits: number
}

/** Facts that a quote is computed from. */
export interface QuoteInput {
  readonly lane: FitLane
  readonly usdPerHour: number
  readonly size: FitSize
  /** Billions of parameters of the base. */
  readonly parametersB: number
  /** Undefined where no fit was measured. */
  readonly measured: MeasuredSpeed | undefined
}

/** A range with the value in between that is expected. */
export interface Span {
  readonly low: number
  readonly expected: number
  readonly high: number
}

/** The price of a rental before it begins. */
export interface Quote {
  readonly usd: Span
  readonly seconds: Span
  readonly tokens: number
  readonly tokensPerSecond: number
}

/** Early stopping ends most fits before half of their steps. */
const EARLIEST_SHARE = 0.2
/** Passes of early stopping over the rows that it looks at, loading and saving: the specification's factor. */
const OVERHEAD = 2
/** A speed that was not measured may be half as high. */
const UNMEASURED = 2

/** The sample fit of the specification, for a quote without rows: 500 rows, 3 passes, batches of 4 rows of 1,024 tokens. */
const SAMPLE = { rows: 500, epochs: 3, batch: 4, sequence: 1024 } as const

/** Returns the size of the specification's sample fit: `ceil(rows * epochs / batch) * batch * sequence` tokens in all. */
export function sampleSize(): FitSize {
  const { rows, epochs, batch, sequence } = SAMPLE
  const tokens = (Math.ceil((rows * epochs) / batch) * batch * sequence) / epochs
  return { tokens, epochs, countedRows: 0, rows }
}

/**
 * Computes the price of a fit: `ceil(tokens / speed * 2)` seconds of the machine at its price (the specification's cloud
 * quote), beside the time until it works. The low end has the highest speed and an early stop, the high end the lowest
 * speed.
 */
export function quote({ lane, usdPerHour, size, parametersB, measured }: QuoteInput): Quote {
  const mean = measured?.mean ?? referenceSpeed(lane, parametersB)
  const fastest = measured?.high ?? mean
  const slowest = measured?.low ?? mean / UNMEASURED
  const tokens = size.tokens * size.epochs
  const start = COLD_START_S[lane]
  const seconds = {
    low: start + Math.ceil((tokens / fastest) * OVERHEAD * EARLIEST_SHARE),
    expected: start + Math.ceil((tokens / mean) * OVERHEAD),
    high: 2 * start + Math.ceil((tokens / slowest) * OVERHEAD),
  }
  const usd = (s: number): number => Math.ceil((usdPerHour * s * 10_000) / 3600) / 10_000
  return {
    usd: { low: usd(seconds.low), expected: usd(seconds.expected), high: usd(seconds.high) },
    seconds,
    tokens: Math.round(tokens),
    tokensPerSecond: Math.round(mean),
  }
}
