import { z } from 'zod'
import { REVIEW_STATUSES } from '../../../gateway/captures/review.ts'
import { CaptureIds, CaptureNamespace } from '../../../gateway/wire/captures/fields.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { WorkspacePath } from '../../../kernel/wire/paths.ts'

/** Files of one call. */
export const MOST_FILES = 64
/** Rows that one call gives inline. */
export const MOST_INLINE_ROWS = 10_000
/** Rows that one call removes. */
const MOST_REMOVED = 1000

/** Share of the rows to learn from. */
export const TrainRatio = z
  .number()
  .min(0.01)
  .max(0.99)
  .meta({ description: 'Share of the rows to learn from; the others are held out', example: 0.8 })

const Least = z.int().min(0).max(1_000_000)

/** Choices of a split. */
export const SplitChoices = z.object({
  min_train: Least.default(0).meta({ description: 'Rows to learn from at least' }),
  min_holdout: Least.default(0).meta({ description: 'Rows to hold out at least' }),
  seed: z
    .union([z.int(), textUpTo(128)])
    .optional()
    .meta({ description: 'Seed of the split; when absent, the SHA-256 of the sorted row hashes' }),
})

/** Sources of rows besides captures. */
export const RowSources = z.object({
  rows: z
    .array(z.record(z.string(), JsonValue))
    .min(1)
    .max(MOST_INLINE_ROWS)
    .optional()
    .meta({
      description:
        'Rows inline: objects with the columns of one type, as in a JSONL file (`prompt` and `completion`, `input` and `output`, `messages`, `text`, `chosen` and `rejected`, …)',
      example: [{ prompt: 'Where is my parcel?', completion: 'shipping' }],
    }),
  paths: z
    .array(WorkspacePath)
    .min(1)
    .max(MOST_FILES)
    .optional()
    .meta({ description: 'Absolute paths of files or folders in your workspace on the server' }),
})

/** Which captures become rows. */
export const CaptureChoices = z.object({
  statuses: z
    .array(z.enum(REVIEW_STATUSES))
    .min(1)
    .max(REVIEW_STATUSES.length)
    .optional()
    .meta({ description: 'Review states of the captures to take; pending and approved when absent' }),
  approved_only: z.boolean().default(false).meta({ description: 'Takes approved captures alone' }),
  capture_ids: CaptureIds.optional().meta({ description: 'These captures alone' }),
  limit: z.int().min(1).max(1_000_000).default(100_000).meta({ description: 'Captures to take at most' }),
})

/** The namespace of a dataset. */
export const DatasetNamespace = CaptureNamespace.meta({
  description: 'Namespace of the dataset, and of the captures that it is made of',
})

/** The name of a dataset. */
export const DatasetName = textUpTo(128).meta({ description: 'Name for people', example: 'tickets' })

/** Ids of rows to leave out. */
export const RemovedRows = z
  .array(z.string().min(1).max(64))
  .max(MOST_REMOVED)
  .default([])
  .meta({ description: 'Ids of rows of the version before to leave out' })
