import { z } from 'zod'
import { formatCount } from '../../facts/numbers.ts'

/** Why an artifact needs a review. */
export const ReviewReason = z
  .object({
    code: z.literal('capture_forgotten'),
    text: z.string().meta({ description: 'The reason in words' }),
    captures: z.int().meta({ description: 'Captures that it learned from and that were forgotten since' }),
    at: z.iso.datetime().meta({ description: 'When the last of them was forgotten' }),
  })
  .meta({ id: 'ReviewReason' })

/** Whether an artifact needs a review, with the reasons. */
export interface Review {
  readonly needs_review: boolean
  readonly review_reasons: z.infer<typeof ReviewReason>[]
}

/** Says that captures were forgotten after they were learned from. */
export function forgottenInWords(captures: number): string {
  return `it learned from ${formatCount(captures, 'capture')} that ${captures === 1 ? 'was' : 'were'} forgotten since: compile again without`
}

/** Returns whether an artifact needs a review: it does when captures were forgotten that it learned from. */
export function reviewOf({ count, at }: { readonly count: number; readonly at: Date | null }): Review {
  if (count === 0 || at === null) return { needs_review: false, review_reasons: [] }
  const reason = {
    code: 'capture_forgotten' as const,
    text: forgottenInWords(count),
    captures: count,
    at: at.toISOString(),
  }
  return { needs_review: true, review_reasons: [reason] }
}
