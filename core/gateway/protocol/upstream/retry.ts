import { setTimeout as wait } from 'node:timers/promises'
import { ProviderError } from '../../providers/provider-error.ts'

/** Number and pauses of the retries of a transient failure. */
export interface RetryPolicy {
  /** Calls in all. */
  readonly attempts: number
  /** The first pause, doubled each time, milliseconds. */
  readonly baseMs: number
  /** The longest pause. A longer one requested by a provider is not waited for. */
  readonly maxMs: number
  /** False to repeat only what the provider has not begun, so that no call is billed twice. */
  readonly repeatsBilled: boolean
}

/** Clock and random numbers for the pauses. */
export interface RetryClock {
  /** Ends after so many milliseconds; rejects when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** A number from 0 up to 1. */
  random(): number
}

/** The real clock. */
export const REAL_CLOCK: RetryClock = {
  sleep: async (ms, signal) => await wait(ms, undefined, { signal }),
  random: () => Math.random(),
}

/**
 * Returns the pause before the attempt after `attempt` (from 1): exponential, with equal jitter (half of it fixed, half
 * random: Brooker, AWS Architecture Blog 2015), and at least the pause that the provider requests. Null when that
 * exceeds the policy's limit, or when no attempt is left.
 */
export function pauseMs(
  policy: RetryPolicy,
  attempt: number,
  retryAfterS: number | undefined,
  random: number,
): number | null {
  if (attempt >= policy.attempts) return null
  const asked = (retryAfterS ?? 0) * 1000
  if (asked > policy.maxMs) return null
  const full = Math.min(policy.maxMs, policy.baseMs * 2 ** (attempt - 1))
  return Math.max(asked, full / 2 + (full / 2) * random)
}

/**
 * Calls `attempt` until it succeeds, fails permanently or the policy is exhausted; then throws its last error. Each
 * call of it is one attempt, so per-attempt costs are counted there.
 */
export async function withRetries<T>(
  attempt: (number: number) => Promise<T>,
  policy: RetryPolicy,
  clock: RetryClock,
  signal: AbortSignal,
): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt(number)
    } catch (error) {
      if (!(error instanceof ProviderError) || !error.isTransient) throw error
      if (error.mayBeBilled && !policy.repeatsBilled) throw error
      const pause = pauseMs(policy, number, error.retryAfterS, clock.random())
      if (pause === null) throw error
      await clock.sleep(pause, signal)
    }
  }
}
