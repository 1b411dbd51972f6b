import { z } from 'zod'
import { ArtifactId } from '../../../../kernel/wire/ids.ts'
import { formatCount } from '../../facts/numbers.ts'

/** Why an artifact needs a review. */
export const ReviewReason = z
  .discriminatedUnion('code', [
    z
      .object({
        code: z.literal('capture_forgotten'),
        text: z.string().meta({ description: 'The reason in words' }),
        captures: z.int().meta({ description: 'Captures that it learned from and that were forgotten since' }),
        at: z.iso.datetime().meta({ description: 'When the last of them was forgotten' }),
      })
      .meta({ id: 'ForgottenCaptures' }),
    z
      .object({
        code: z.literal('source_revoked'),
        text: z.string().meta({ description: 'The reason in words' }),
        artifacts: z
          .array(ArtifactId)
          .meta({ description: 'Revoked artifacts that it is built on, the last one first' }),
        at: z.iso.datetime().meta({ description: 'When the last of them was revoked' }),
      })
      .meta({ id: 'RevokedSources' }),
  ])
  .meta({ id: 'ReviewReason' })

/** The need of an artifact for a review, with the reasons. */
export interface Review {
  readonly needs_review: boolean
  readonly review_reasons: z.infer<typeof ReviewReason>[]
}

/** Says that captures were forgotten after they were learned from. */
export function forgottenInWords(captures: number): string {
  return `it learned from ${formatCount(captures, 'capture')} that ${captures === 1 ? 'was' : 'were'} forgotten since: compile again without`
}

/** Reasons for a review of an artifact. */
export interface ReviewCauses {
  /** Captures that it learned from and that were forgotten since. */
  readonly forgottenCaptures: number
  /** When the last of them was forgotten. */
  readonly forgottenLast: Date | null
  /** Revoked artifacts that it is built on. */
  readonly revokedSources: readonly string[]
  /** When the last of them was revoked. */
  readonly revokedSourceLast: Date | null
}

/** Says that an artifact is built on revoked ones, of which it names the first. */
export function revokedInWords([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return `it is built on ${first}, which was revoked`
  return `it is built on ${first} and ${formatCount(others.length, 'other artifact')}, which were revoked`
}

/**
 * Returns whether an artifact needs a review: it does when captures were forgotten that it learned from, or when artifacts
 * were revoked that it is built on.
 */
export function reviewOf(causes: ReviewCauses): Review {
  const { forgottenCaptures: captures, forgottenLast, revokedSources, revokedSourceLast } = causes
  const reasons: z.infer<typeof ReviewReason>[] = []
  if (captures > 0 && forgottenLast !== null) {
    const text = forgottenInWords(captures)
    reasons.push({ code: 'capture_forgotten', text, captures, at: forgottenLast.toISOString() })
  }
  if (revokedSources.length > 0 && revokedSourceLast !== null) {
    const text = revokedInWords(revokedSources)
    const artifacts = [...revokedSources]
    reasons.push({ code: 'source_revoked', text, artifacts, at: revokedSourceLast.toISOString() })
  }
  return { needs_review: reasons.length > 0, review_reasons: reasons }
}
