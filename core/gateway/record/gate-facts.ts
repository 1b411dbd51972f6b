import type { PrivacyPolicy, SensitiveClass } from '../gate/privacy/classes.ts'

/** Findings of the gate about a call, part of its record. */
export interface GateFacts {
  readonly policy: PrivacyPolicy
  /** Classes of sensitive text that the call held, sorted. */
  readonly classes: readonly SensitiveClass[]
  /** Those of them that the provider got as placeholders, sorted. */
  readonly redacted: readonly SensitiveClass[]
  /** True when its capture waits for a review whatever the namespace says (`review_required`). */
  readonly isReviewRequired: boolean
  /** True when the record holds the texts as they were. */
  readonly isRaw: boolean
  readonly guardrail: GuardrailFacts
}

/** Findings of guardrails. */
export interface GuardrailFacts {
  readonly warnings: readonly string[]
  readonly rewrites: readonly string[]
  readonly injection: {
    readonly isScreened: boolean
    readonly isAdversarial: boolean
    readonly categories: readonly string[]
    readonly score: number
    readonly detector: string
  }
}
