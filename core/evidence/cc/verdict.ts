import type { JsonObject } from '../../kernel/json/json.ts'

/** States of a verification. `unverified`: nothing speaks against the report, but a check could not be made. */
export const CC_STATES = [
  'unverified',
  'shape_ok',
  'cryptographically_verified',
  'revoked',
  'expired',
  'rejected',
] as const
export type CcState = (typeof CC_STATES)[number]

/** The checks of a report, all of which have to pass. */
export const CC_CHECKS = ['signature', 'chain', 'validity', 'nonce', 'measurement'] as const
export type CcCheck = (typeof CC_CHECKS)[number]

/** The caller's expectations of a report. */
export interface Expectations {
  /** The nonce that the report was asked with, as lower-case hex digits. */
  readonly nonce?: string | undefined
  /** The measurement as lower-case hex digits; of an enclave also by the number of its register. */
  readonly measurement?: string | Readonly<Record<string, string>> | undefined
}

/** The outcome of verifying the bytes of a report. */
export interface BytesVerdict {
  readonly state: CcState
  readonly reason: string
  readonly checks: Readonly<Partial<Record<CcCheck, boolean>>>
  /** The content of the bytes, where they could be read. */
  readonly decoded?: JsonObject
}

/** Ends a verification; thrown by its steps and caught by the one that began them. */
export class Refusal extends Error {
  readonly state: CcState
  readonly reason: string
  readonly check: CcCheck | undefined

  constructor(reason: string, options: { readonly state?: CcState; readonly check?: CcCheck } = {}) {
    super(reason)
    this.name = 'Refusal'
    this.reason = reason
    this.state = options.state ?? 'rejected'
    this.check = options.check
  }
}

/** Notes the checks of one verification in the order in which they are made. */
export class Checks {
  readonly #passed: Partial<Record<CcCheck, boolean>> = {}

  /** Notes a check; throws `Refusal` when it failed. */
  require(check: CcCheck, passed: boolean, reason: string): void {
    if (!passed) throw new Refusal(reason, { check })
    this.#passed[check] = true
  }

  /** The verdict on a report whose checks are over; `open` names a check that could not be made. */
  conclude(decoded: JsonObject, open: string | undefined): BytesVerdict {
    const isWhole = CC_CHECKS.every((check) => this.#passed[check] === true)
    if (isWhole && open === undefined) {
      return { state: 'cryptographically_verified', reason: 'all_checks_passed', checks: this.#passed, decoded }
    }
    return { state: 'unverified', reason: open ?? 'check_not_made', checks: this.#passed, decoded }
  }

  /** The verdict of a refusal. Throws any other error again. */
  refused(error: unknown): BytesVerdict {
    if (!(error instanceof Refusal)) throw error
    const failed = error.check === undefined ? {} : { [error.check]: false }
    return { state: error.state, reason: error.reason, checks: { ...this.#passed, ...failed } }
  }
}
