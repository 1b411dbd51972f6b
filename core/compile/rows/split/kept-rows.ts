import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import type { NegativeExample } from '../intake/example.ts'
import type { Row } from '../../task.ts'
import type { Split } from './split-report.ts'

/** Rows of a compile that an archive holds at most; of more, it holds digests. */
export const MAX_KEPT_ROWS = 1000
const MAX_KEPT_BYTES = 16 * 1024 * 1024

/**
 * `rows.json` (`svc-rows-1`): what the compiler saw besides the evaluated rows. With them it is everything that a
 * recomputation needs.
 */
export interface KeptRows {
  readonly spec: 'svc-rows-1'
  /** Rows that were learned from and not scored, with their position among all rows. */
  readonly learned: readonly {
    readonly place: number
    readonly id: string
    readonly input: Json
    readonly output: Json
  }[]
  readonly negatives: readonly { readonly id: string; readonly input: Json; readonly not_output: Json }[]
  /** Inputs without an output that are no row's. */
  readonly unlabelled: readonly Json[]
}

/**
 * Returns the rows that an archive holds besides the evaluated ones; null where there are none, or too many for an
 * archive that shows its rows. `train` are the rows of `split.train`, in their order.
 */
export function keptRows(
  split: Pick<Split, 'train' | 'holdout'>,
  train: readonly Row[],
  negatives: readonly NegativeExample[],
  unlabelled: readonly Json[],
): KeptRows | null {
  const scored = new Set(split.holdout)
  const learned = split.train.flatMap((place, i) => {
    const row = train[i]
    return row === undefined || scored.has(place) ? [] : [{ place, id: row.id, input: row.input, output: row.output }]
  })
  const kept: KeptRows = {
    spec: 'svc-rows-1',
    learned,
    negatives: negatives.map(({ id, input, notOutput }) => ({ id, input, not_output: notOutput })),
    unlabelled,
  }
  if (learned.length + negatives.length + unlabelled.length === 0) return null
  if (Math.max(learned.length + scored.size, negatives.length, unlabelled.length) > MAX_KEPT_ROWS) return null
  return Buffer.byteLength(canonicalJson({ ...kept })) > MAX_KEPT_BYTES ? null : kept
}
