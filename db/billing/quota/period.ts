/** Returns the calendar month (UTC) of a point in time, as `YYYY-MM`. */
export function periodOf(now: Date): string {
  // By hand: this runs in every call, and a whole time costs several times as much.
  return `${String(now.getUTCFullYear()).padStart(4, '0')}-${String(now.getUTCMonth() + 1).padStart(2, '0')}`
}
