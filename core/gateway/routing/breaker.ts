/** Numbers of a breaker. */
export interface BreakerPolicy {
  /** Failures in a row that open it. */
  readonly inARow: number
  /** Share of failures among the last calls that opens it, from so many calls on. */
  readonly share: number
  readonly fromCalls: number
  readonly lastCalls: number
  /** The first pause, milliseconds; the n-th in a row is n times as long. */
  readonly pauseMs: number
  readonly mostPauseMs: number
  /** Calls that are let through after a pause to see whether it works again. */
  readonly probes: number
}

/** For servers: what they answer is about all of their callers. */
export const SERVER_BREAKER: BreakerPolicy = {
  inARow: 5,
  share: 0.5,
  fromCalls: 20,
  lastCalls: 50,
  pauseMs: 10_000,
  mostPauseMs: 120_000,
  probes: 2,
}

/** For keys: one refusal says that the next call will be refused as well. */
export const KEY_BREAKER: BreakerPolicy = { ...SERVER_BREAKER, inARow: 1 }

/** State of a breaker, for people. `half_open`: its pause is over and a few calls try. */
export type BreakerState = 'closed' | 'open' | 'half_open'

/** The state of one breaker. */
export interface BreakerView {
  readonly state: BreakerState
  /** Milliseconds until calls are let through again; 0 unless it is open. */
  readonly opensInMs: number
  readonly calls: number
  readonly failures: number
}

/**
 * A circuit breaker (Nygard, Release It!, 2nd ed. 2018, chapter 5): after failures it lets no call through for a while, then
 * a few, and closes when one of them succeeds. Times are milliseconds of a monotonic clock that the caller reads.
 */
export class Breaker {
  readonly #policy: BreakerPolicy
  /** The last calls, oldest first; true for a failure. */
  readonly #last: boolean[] = []
  #row = 0
  #openings = 0
  #openUntil: number | null = null
  #probing = 0

  constructor(policy: BreakerPolicy) {
    this.#policy = policy
  }

  /** Returns true when a call may be made now, which then counts as one of the probes of a half-open breaker. */
  admits(now: number): boolean {
    if (this.#openUntil === null) return true
    if (now < this.#openUntil || this.#probing >= this.#policy.probes) return false
    this.#probing += 1
    return true
  }

  /** Records an answer. */
  succeeded(): void {
    this.#note(false)
    this.#row = 0
    if (this.#openUntil === null) return
    this.#openUntil = null
    this.#probing = 0
    this.#openings = 0
    this.#last.length = 0
  }

  /** Records a failure; `waitMs` is the pause that the other side asked for. */
  failed(now: number, waitMs = 0): void {
    this.#note(true)
    this.#row += 1
    const wasOpen = this.#openUntil !== null
    if (!wasOpen && this.#row < this.#policy.inARow && !this.#isMostlyFailing()) return
    // Calls that were under way when it opened tell nothing new.
    if (wasOpen && this.#probing === 0) return
    this.#openings += 1
    this.#probing = 0
    const pauseMs = Math.min(this.#policy.mostPauseMs, this.#policy.pauseMs * this.#openings)
    this.#openUntil = now + Math.max(pauseMs, Math.min(waitMs, this.#policy.mostPauseMs))
  }

  /** Gives back the place of a call that ended without telling anything, such as one that its caller left. */
  undecided(): void {
    if (this.#probing > 0) this.#probing -= 1
  }

  view(now: number): BreakerView {
    const failures = this.#last.filter(Boolean).length
    const opensInMs = this.#openUntil === null ? 0 : Math.max(0, this.#openUntil - now)
    const state = this.#openUntil === null ? 'closed' : opensInMs > 0 ? 'open' : 'half_open'
    return { state, opensInMs, calls: this.#last.length, failures }
  }

  #note(isFailure: boolean): void {
    this.#last.push(isFailure)
    if (this.#last.length > this.#policy.lastCalls) this.#last.shift()
  }

  #isMostlyFailing(): boolean {
    const { fromCalls, share } = this.#policy
    if (this.#last.length < fromCalls) return false
    return this.#last.filter(Boolean).length / this.#last.length >= share
  }
}
