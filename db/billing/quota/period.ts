/** Returns the calendar month (UTC) of a point in time, as `YYYY-MM`. */
export function periodOf(now: Date): string {
  return now.toISOString().slice(0, 7)
}
