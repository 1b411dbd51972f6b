/** Returns the calendar month (UTC) of a point in time, as `YYYY-MM`. */
export function periodOf(now: Date): string {
  return now.toISOString().slice(0, 7)
}

/** Returns the end of the quota month of `now`. */
export function resetsAt(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
}
