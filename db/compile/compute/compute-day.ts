const DAY_MS = 86_400_000

/** The UTC day that a point in time falls into, as `YYYY-MM-DD`. */
export function computeDayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}

/** When the next UTC day begins. */
export function nextComputeDay(now: Date): Date {
  return new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS)
}
