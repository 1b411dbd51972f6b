import type { ProviderFailure } from '../providers/provider-error.ts'

/** Why a target was not asked, or why an own artifact's answer was not used. */
export type PassedOver =
  | 'circuit_open'
  | 'over_limit'
  | 'low_confidence'
  | 'class_mismatch'
  | 'no_concept'
  | 'unsupported_request'
  | 'artifact_unavailable'

/** One attempt to get an answer. */
export interface Attempt {
  readonly provider: string
  readonly model: string
  /** Null for the attempt that was answered. */
  readonly failure: ProviderFailure | PassedOver | null
  /** The provider's status; null when there was none. */
  readonly status: number | null
  readonly ms: number
}
