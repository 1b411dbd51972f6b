const DAY_MS = 86_400_000

/** Returns the UTC day that a point in time falls into, as `YYYY-MM-DD`. */
export function computeDayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}

/** Returns the start of the next UTC day. */
export function nextComputeDay(now: Date): Date {
  return new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS)
}
