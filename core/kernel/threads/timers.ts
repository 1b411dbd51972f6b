/** The longest time of a timer, milliseconds: a longer one would be over at once. */
const MOST_MS = 2 ** 31 - 1

/** Returns so many milliseconds as the time of a timer: rounded up, and 24 days at most. */
export function timerMs(ms: number): number {
  return Math.min(MOST_MS, Math.ceil(ms))
}

/** Returns a signal that aborts after so many seconds, or after 24 days. */
export function timeoutAfter(seconds: number): AbortSignal {
  return AbortSignal.timeout(timerMs(seconds * 1000))
}
