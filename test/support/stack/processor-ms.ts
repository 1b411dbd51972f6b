/**
 * Returns the milliseconds of processor time that a piece of work takes in this thread. Other processes that hold the cores
 * lengthen the wall time of a piece, but not this.
 */
export function processorMs(work: () => unknown): number {
  const startedAt = process.threadCpuUsage()
  work()
  return usedSince(startedAt)
}

/** Returns the same for work that ends later, together with what else this thread does until then. */
export async function processorMsUntil(work: () => Promise<unknown>): Promise<number> {
  const startedAt = process.threadCpuUsage()
  await work()
  return usedSince(startedAt)
}

function usedSince(startedAt: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(startedAt)
  return (user + system) / 1000
}

/** Processor time of the piece that `slowdown` measures, milliseconds. */
const PIECE_MS = 200

/**
 * Starts a stopwatch. It returns the milliseconds since then, divided by how many times longer work takes beside what else
 * runs on the machine: wall time where the machine is free.
 */
export function stopwatch(): () => number {
  const slowAtFirst = slowdown()
  const startedAt = performance.now()
  return () => (performance.now() - startedAt) / Math.max(slowAtFirst, slowdown())
}

/** Wall time of a piece of work as a multiple of its processor time, at least 1. */
function slowdown(): number {
  const startedAt = performance.now()
  const cpuAt = process.threadCpuUsage()
  while (usedSince(cpuAt) < PIECE_MS);
  return Math.max(1, (performance.now() - startedAt) / usedSince(cpuAt))
}
