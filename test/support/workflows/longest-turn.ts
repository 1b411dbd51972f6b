/** Times of work on the thread that does it. */
export interface Turns {
  /** The most processor time of one turn of the event loop, milliseconds. */
  readonly longestMs: number
  readonly allMs: number
}

/** Measures how long work holds the event loop of this thread: in its own processor time, whatever else the machine does. */
export async function longestTurn(work: () => Promise<void>): Promise<Turns> {
  const begun = process.threadCpuUsage()
  let last = begun
  let longest = 0
  let isOver = false
  const look = (): void => {
    const now = process.threadCpuUsage(last)
    longest = Math.max(longest, now.user + now.system)
    last = process.threadCpuUsage()
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  try {
    await work()
  } finally {
    isOver = true
  }
  look()
  const all = process.threadCpuUsage(begun)
  return { longestMs: longest / 1000, allMs: (all.user + all.system) / 1000 }
}
