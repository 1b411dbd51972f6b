/** Time after which long work lets the event loop turn, milliseconds. */
const SLICE_MS = 10

/** Does each step of long work; other calls get their turn after every few milliseconds of it. */
export async function inSlices<T>(steps: Iterable<T>, each: (step: T) => void): Promise<void> {
  let until = performance.now() + SLICE_MS
  for (const step of steps) {
    each(step)
    if (performance.now() < until) continue
    await loopTurn()
    until = performance.now() + SLICE_MS
  }
}

/** Returns a function that lets the event loop turn when it has not for a few milliseconds: for steps that wait themselves. */
export function loopTurns(): () => Promise<void> {
  let until = performance.now() + SLICE_MS
  return async () => {
    if (performance.now() < until) return
    await loopTurn()
    until = performance.now() + SLICE_MS
  }
}

/** Lets the event loop turn once. */
export async function loopTurn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
}
