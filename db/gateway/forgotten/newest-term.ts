/** Milliseconds by which the clocks of two processes may differ. */
const CLOCKS_APART_MS = 60_000

/** Returns true for a call that began before the newest term of a forget list was put on it: the call may not have seen it. */
export function beganBefore(newest: Date | null | undefined, begunAt: Date): boolean {
  return newest instanceof Date && begunAt.getTime() <= newest.getTime() + CLOCKS_APART_MS
}
