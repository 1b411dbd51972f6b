/** Counts by name that all start over when the window ends; at most one window is kept. */
export interface WindowCount {
  add(name: string): number
  count(name: string): number
  resetS(): number
}

/** No counts yet, in windows of this length. */
export function createWindowCount(windowMs: number): WindowCount {
  let window = 0
  let counts = new Map<string, number>()
  const current = () => {
    const now = Math.floor(performance.now() / windowMs)
    if (now !== window) {
      window = now
      counts = new Map()
    }
    return counts
  }
  return {
    add(name) {
      const count = (current().get(name) ?? 0) + 1
      counts.set(name, count)
      return count
    },
    count: (name) => current().get(name) ?? 0,
    resetS: () => Math.max(1, Math.ceil(((window + 1) * windowMs - performance.now()) / 1000)),
  }
}
