import { z } from 'zod'
import { Name, Time } from '../../../ledger/wire/fields.ts'
import { Share } from './fields.ts'

/**
 * The acceptance of an artifact whose K-score is below its floor: by which credential, when, and the two figures. It
 * is in build.json and manifest.json.
 */
export const Acceptance = z.strictObject({
  /** Kind and id of the credential, as in the audit ledger: `key:key_…`, `session:ses_…`. */
  by: Name,
  at: Time,
  k_score: Share,
  k_score_floor: Share,
})
export type Acceptance = z.infer<typeof Acceptance>

/** An artifact's acceptance with the figures that it is about. */
interface AcceptedScore {
  readonly accepted?: Acceptance | undefined
  readonly k_score: number
  readonly k_score_floor: number
}

/**
 * Returns why an acceptance cannot be, in words; null where it can, and for a score that reaches its floor without one.
 * A manifest alone is enough to check it.
 */
export function acceptanceContradiction({
  accepted,
  k_score: kScore,
  k_score_floor: floor,
}: AcceptedScore): string | null {
  if (accepted === undefined)
    return kScore < floor ? `K ${kScore} is below the floor ${floor} and was not accepted` : null
  if (kScore >= floor) return `K ${kScore} reaches the floor ${floor}: there was nothing to accept`
  if (accepted.k_score !== kScore) return `accepted names K ${accepted.k_score}, not ${kScore}`
  return accepted.k_score_floor === floor ? null : `accepted names the floor ${accepted.k_score_floor}, not ${floor}`
}

/** Returns evidence about the rows: an artifact that was accepted below its floor is not ready for production. */
export function asAccepted<Seeds extends { readonly production_ready: boolean }>(
  seeds: Seeds,
  accepted: object | null | undefined,
): Seeds {
  return accepted ? { ...seeds, production_ready: false } : seeds
}
