import { canonicalJson, hashJson, type Json, type Sha256 } from '../../../kernel/json/json.ts'
import type { NegativeExample } from '../intake/example.ts'
import type { Row } from '../task.ts'
import { hashRows, hashUnlabelled } from './row-hashes.ts'
import type { Split } from './split-report.ts'

/** Rows of a compile that an archive holds at most; of more, it holds digests. */
export const MAX_KEPT_ROWS = 1000
/** Bytes of rows that a member holds at most, in canonical JSON; of more, it holds digests. */
export const MAX_KEPT_BYTES = 16 * 1024 * 1024

/** Why an archive holds digests: the caller asked for them, or the rows pass a bound. */
export const DIGEST_REASONS = ['asked', 'too_many_rows', 'too_large'] as const
export type DigestReason = (typeof DIGEST_REASONS)[number]

/**
 * `rows.json` (`svc-rows-1`): what the compiler saw besides the held-out rows. With them it is everything that a
 * recomputation needs.
 */
export interface HeldRows {
  readonly spec: 'svc-rows-1'
  /** Rows that were learned from and not scored, with their position among all rows. */
  readonly learned: readonly {
    readonly place: number
    readonly id: string
    readonly input: Json
    readonly output: Json
  }[]
  readonly negatives: readonly { readonly id: string; readonly input: Json; readonly not_output: Json }[]
  /** Inputs without an output that belong to no row. */
  readonly unlabelled: readonly Json[]
}

/** A list as the number of its items and their digest. */
interface Digested {
  readonly n: number
  readonly hash: Sha256
}

/** `rows.json` (`svc-rows-2`) of an archive whose rows besides the evaluated ones pass a bound. */
export interface DigestedRows {
  readonly spec: 'svc-rows-2'
  readonly why_digests: Exclude<DigestReason, 'asked'>
  readonly learned: Digested
  readonly negatives: Digested
  readonly unlabelled: Digested
}

/** The rows of an archive besides the evaluated ones. */
export type KeptRows = HeldRows | DigestedRows

/**
 * Returns the rows of an archive besides the evaluated ones; null where there are none. Beyond 1,000 rows of one sort or
 * 16 MiB they are digests. `train` are the rows of `split.train`, in their order.
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
  const kept: HeldRows = {
    spec: 'svc-rows-1',
    learned,
    negatives: negatives.map(({ id, input, notOutput }) => ({ id, input, not_output: notOutput })),
    unlabelled,
  }
  if (learned.length + negatives.length + unlabelled.length === 0) return null
  if (Math.max(learned.length + scored.size, negatives.length, unlabelled.length) > MAX_KEPT_ROWS) {
    return digested(kept, 'too_many_rows')
  }
  return Buffer.byteLength(canonicalJson({ ...kept })) > MAX_KEPT_BYTES ? digested(kept, 'too_large') : kept
}

function digested({ learned, negatives, unlabelled }: HeldRows, why: DigestedRows['why_digests']): DigestedRows {
  return {
    spec: 'svc-rows-2',
    why_digests: why,
    learned: { n: learned.length, hash: hashRows(learned) },
    negatives: {
      n: negatives.length,
      hash: hashJson(negatives.map(({ input, not_output: notOutput }) => ({ input, not_output: notOutput }))),
    },
    unlabelled: { n: unlabelled.length, hash: hashUnlabelled(unlabelled) },
  }
}
