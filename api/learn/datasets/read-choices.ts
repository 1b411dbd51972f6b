import type { z } from 'zod'
import type { VersionSource, VersionSplit } from '../../../core/learn/datasets/version-request.ts'
import type { CaptureChoices, SplitChoices } from '../../../core/learn/wire/datasets/fields.ts'

/** Returns the choices of a split as its version keeps them, the ratio aside. */
export function splitOf(
  given: z.output<typeof SplitChoices>,
): Pick<VersionSplit, 'min_train' | 'min_holdout' | 'seed'> {
  const { min_train, min_holdout, seed } = given
  return { min_train, min_holdout, seed: seed === undefined ? null : String(seed) }
}

/** Returns the captures to take as a version keeps them: pending and approved ones unless the caller says otherwise. */
export function capturesOf(given: z.output<typeof CaptureChoices>): NonNullable<VersionSource['captures']> {
  const { statuses, approved_only: approvedOnly, capture_ids: ids, limit } = given
  return {
    statuses: approvedOnly ? ['approved'] : (statuses ?? ['pending', 'approved']),
    ids: ids ?? null,
    most: limit,
  }
}
