/**
 * Starts counting the processor time of the current thread. Search budgets are measured by it and not by the wall
 * clock, so that a busy machine gives the same recipes as an idle one, only later.
 * @returns a function that gives the milliseconds used since
 */
export function startCpuTime(): () => number {
  const start = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1000
  }
}
