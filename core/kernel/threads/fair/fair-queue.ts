/**
 * Work of many callers on few places: callers take turns, so that a caller with a thousand requests delays the others
 * by one.
 */
export interface FairQueue {
  /** Runs `work` at the caller's turn. Throws the errors of the work. */
  run<T>(caller: string, work: () => Promise<T>): Promise<T>
}

/** Creates a queue that runs at most `places` calls at once. */
export function createFairQueue(places: number): FairQueue {
  /** Callers in the order of their turns; after its turn a caller moves to the end. */
  const waiting = new Map<string, (() => void)[]>()
  let free = places

  const next = () => {
    const [first] = waiting
    if (first === undefined) {
      free++
      return
    }
    const [caller, starts] = first
    const start = starts.shift()
    waiting.delete(caller)
    if (starts.length > 0) waiting.set(caller, starts)
    start?.()
  }
  const enter = (caller: string): Promise<void> | undefined => {
    if (free > 0) {
      free--
      return undefined
    }
    return new Promise((resolve) => {
      const starts = waiting.get(caller)
      if (starts) starts.push(resolve)
      else waiting.set(caller, [resolve])
    })
  }
  return {
    async run(caller, work) {
      await enter(caller)
      try {
        return await work()
      } finally {
        next()
      }
    },
  }
}
