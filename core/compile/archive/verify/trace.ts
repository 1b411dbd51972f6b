/** Reasons why an archive does not verify. */
export type VerificationReason =
  | 'invalid_archive'
  | 'manifest_hash_mismatch'
  | 'signature_invalid'
  | 'train_holdout_leakage'
  | 'provenance_mismatch'
  | 'k_score_mismatch'
  | 'k_score_below_floor'
  | 'recipe_invalid'
  | 'evals_mismatch'
  | 'revoked'
  | 'revocations_invalid'

/** One check and its result. */
export interface VerificationCheck {
  readonly name: string
  readonly status: 'pass' | 'warn' | 'fail'
  readonly detail: string
}

/** Checks that were made, and the first failure. */
export interface TraceOutcome {
  readonly ok: boolean
  readonly checks: readonly VerificationCheck[]
  readonly reason?: VerificationReason
  readonly detail?: string
}

/** Collects checks and the first failure. */
export class Trace {
  readonly #checks: VerificationCheck[] = []
  #failure: { reason: VerificationReason; detail: string } | undefined

  /** Makes a check. With a doubt, a reason why it may fail for a genuine archive, a failure is a warning. */
  async check(
    name: string,
    reason: VerificationReason,
    body: () => string | Promise<string>,
    doubt: string | null = null,
  ): Promise<void> {
    try {
      this.pass(name, await body())
    } catch (error) {
      if (doubt === null) this.fail(name, reason, error)
      else this.warn(name, `${textOf(error)}; ${doubt}`)
    }
  }

  async attempt<T>(name: string, reason: VerificationReason, body: () => T | Promise<T>): Promise<T | undefined> {
    let value: T | undefined
    await this.check(name, reason, async () => {
      value = await body()
      return 'well formed'
    })
    return value
  }

  pass(name: string, detail: string): void {
    this.#checks.push({ name, status: 'pass', detail })
  }

  warn(name: string, detail: string): void {
    this.#checks.push({ name, status: 'warn', detail })
  }

  failed(name: string): boolean {
    return this.#checks.some((check) => check.name === name && check.status === 'fail')
  }

  outcome(): TraceOutcome {
    const base = { ok: this.#failure === undefined, checks: this.#checks }
    return this.#failure === undefined ? base : { ...base, ...this.#failure }
  }

  fail(name: string, reason: VerificationReason, error: unknown): void {
    const detail = textOf(error)
    this.#checks.push({ name, status: 'fail', detail })
    this.#failure ??= { reason, detail }
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
