import type { Row } from '../../rows/task.ts'
import { detectLabelTask } from '../../../model/classifier/label-task.ts'
import { tolerancePhrase, type Tolerance } from '../../rows/equality/tolerance.ts'
import { roundedUp } from '../../wire/facts/numbers.ts'
import type { KindResult, NumberMisses } from './verify-types.ts'

const MOST_SHARE = 0.9
/** Digits of a miss in words. */
const SHOWN_DIGITS = 3

/**
 * Returns how far the answers to scored rows miss; null where an expected output is no number, where half of the rows have no
 * answer, and where the numbers are labels, such as 0 and 1.
 */
export function missesOf({ evaluation }: Pick<KindResult, 'evaluation'>, rows: readonly Row[]): NumberMisses | null {
  const expected = new Map(rows.map(({ id, output }) => [id, output]))
  const misses = evaluation.results.map(({ id, output }) => {
    const right = expected.get(id)
    if (typeof right !== 'number') return NaN
    return typeof output === 'number' ? Math.abs(output - right) : Infinity
  })
  const isEstimate = misses.length > 0 && !misses.some((miss) => Number.isNaN(miss))
  if (!isEstimate || detectLabelTask([...expected.values()]).applicable) return null
  const sorted = misses.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? Infinity
  const [half, most] = [at(0.5), at(MOST_SHARE)]
  return Number.isFinite(half) ? { half, most: Number.isFinite(most) ? most : null } : null
}

/** Returns the misses as a sentence for a gated job, with what counts as right. */
export function missesInWords({ half, most }: NumberMisses, tolerances: readonly Tolerance[]): string {
  const right =
    tolerances.length === 0
      ? 'A number is right when it is equal to the expected one, unless the compile states `tolerances`'
      : `What counts as right: ${tolerances.map(tolerancePhrase).join(', ')}`
  const rest = most === null ? '' : `, nine tenths by at most ${shown(most)}`
  return `${right}. Half of the answers miss by at most ${shown(half)}${rest}`
}

function shown(miss: number): string {
  return String(roundedUp(miss, SHOWN_DIGITS))
}
