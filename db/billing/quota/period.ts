/** The calendar month (UTC) that a point in time falls into, as `YYYY-MM`. */
export function periodOf(now: Date): string {
  return now.toISOString().slice(0, 7)
}

/** When the quota of the month that `now` falls into starts anew. */
export function resetsAt(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
}
