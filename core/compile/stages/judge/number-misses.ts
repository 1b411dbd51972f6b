import type { Row } from '../../rows/task.ts'
import type { KindResult } from './verify-types.ts'

/** Misses of a kind's answers where all expected outputs are numbers. */
export interface NumberMisses {
  /** Half of the answers miss by at most this. A row without an answer misses by infinity. */
  readonly half: number
  /** Nine tenths of the answers miss by at most this. */
  readonly most: number
}

const MOST_SHARE = 0.9
/** Digits of a miss in words. */
const SHOWN_DIGITS = 3

/** Returns how far the answers to scored rows miss; null where an expected output is no number, or no row is scored. */
export function missesOf({ evaluation }: Pick<KindResult, 'evaluation'>, rows: readonly Row[]): NumberMisses | null {
  const expected = new Map(rows.map(({ id, output }) => [id, output]))
  const misses = evaluation.results.map(({ id, output }) => {
    const right = expected.get(id)
    if (typeof right !== 'number') return NaN
    return typeof output === 'number' ? Math.abs(output - right) : Infinity
  })
  if (misses.length === 0 || misses.some((miss) => Number.isNaN(miss))) return null
  const sorted = misses.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? Infinity
  return { half: at(0.5), most: at(MOST_SHARE) }
}

/** Returns the misses as a sentence for a gated job; null where half of the rows have no answer. */
export function missesInWords({ half, most }: NumberMisses): string | null {
  if (!Number.isFinite(half)) return null
  const rest = Number.isFinite(most) ? `, nine tenths by at most ${shown(most)}` : ''
  return `half of its answers miss by at most ${shown(half)}${rest}`
}

function shown(miss: number): string {
  return String(Number(miss.toPrecision(SHOWN_DIGITS)))
}
