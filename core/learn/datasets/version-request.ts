import { z } from 'zod'
import { REVIEW_STATUSES } from '../../gateway/captures/review.ts'

/** The sources of a version, as its row keeps them. */
export const VersionSource = z.object({
  kind: z.enum(['captures', 'import', 'split']),
  /** The version that it continues from; null for the first. */
  base: z.int().nullable(),
  /** Captures of the namespace to take; null for none. */
  captures: z
    .object({
      statuses: z.array(z.enum(REVIEW_STATUSES)),
      ids: z.array(z.string()).nullable(),
      most: z.int(),
      /** Captures from this time on; of all times when absent. */
      from: z.iso.datetime().optional(),
      /** Captures before this time; until now when absent. */
      to: z.iso.datetime().optional(),
    })
    .nullable(),
  /** Rows to leave out, by id. */
  removed: z.array(z.string()),
})
/** The sources of a version. */
export type VersionSource = z.infer<typeof VersionSource>

/** The rule by which a version is split, as its row keeps it. */
export const VersionSplit = z.object({
  train_ratio: z.number(),
  min_train: z.int(),
  min_holdout: z.int(),
  /** The caller's seed; null for that of the rows. */
  seed: z.string().nullable(),
  is_strict: z.boolean(),
})
/** The rule by which a version is split. */
export type VersionSplit = z.infer<typeof VersionSplit>
