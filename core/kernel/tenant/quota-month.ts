/** Returns the end of the quota month of `now`. Months are those of the calendar in UTC. */
export function resetsAt(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
}
