import { z } from 'zod'
import { REVIEW_ACTIONS, REVIEW_STATUSES } from '../../captures/review.ts'
import { CaptureIds, ReviewReason } from './fields.ts'

/** Longest output that a reviewer writes, characters. */
const MOST_CHARS = 1_000_000

/** A decision on one capture. */
export const ReviewCaptureBody = z
  .object({
    action: z.enum(REVIEW_ACTIONS),
    reason: ReviewReason.optional(),
    fixed_output: z.string().max(MOST_CHARS).nullish().meta({
      description: 'The right output, which examples and exports use in place of the response; null removes it',
    }),
  })
  .meta({ id: 'ReviewCapture', example: { action: 'approve', reason: 'looks right' } })

/** The capture after a decision. */
export const ReviewCaptureAnswer = z.object({
  capture_id: z.string(),
  status: z.enum(REVIEW_STATUSES),
  action: z.enum(REVIEW_ACTIONS),
})

/** A decision on several captures. */
export const ReviewCapturesBody = z
  .object({ ids: CaptureIds, action: z.enum(REVIEW_ACTIONS), reason: ReviewReason.optional() })
  .meta({
    id: 'ReviewCaptures',
    example: { ids: ['cap_0123456789abcdefghjkmnpqrs'], action: 'quarantine', reason: 'needs a look' },
  })

/** The outcome of each reviewed capture. */
export const ReviewCapturesAnswer = z.object({
  status: z.enum(REVIEW_STATUSES),
  action: z.enum(REVIEW_ACTIONS),
  updated_count: z.int(),
  not_found: z.array(z.string()),
  forgotten: z.array(z.string()).meta({ description: 'Forgotten captures; their review is over' }),
  requested: z.int(),
})

/** Actions on several captures. */
export const BULK_ACTIONS = ['approve', 'reject', 'redact', 'delete'] as const

/** An action on several captures. */
export const BulkCapturesBody = z
  .object({
    action: z
      .enum(BULK_ACTIONS)
      .meta({ description: '`redact` removes sensitive data from the stored texts; `delete` forgets the captures' }),
    capture_ids: CaptureIds,
    reason: ReviewReason.optional(),
  })
  .meta({
    id: 'BulkCaptures',
    example: { action: 'approve', capture_ids: ['cap_0123456789abcdefghjkmnpqrs'] },
  })

/** The outcome of each capture. */
export const BulkCapturesAnswer = z.object({
  action: z.enum(BULK_ACTIONS),
  requested: z.int(),
  processed: z.int(),
  not_found: z.array(z.string()),
  forgotten: z.array(z.string()),
  applied_at: z.iso.datetime(),
})
