import { setImmediate } from 'node:timers/promises'

/** Time for which work on rows may block the event loop, milliseconds. */
const TURN_MS = 8

/** Cuts long work on the event loop into turns. */
export interface Turns {
  /** Resolves immediately within a turn; at its end, resolves after others had theirs. Awaited only at the end. */
  over(): Promise<void> | undefined
}

/** Creates the turns of one piece of work; they affect only its timing, never its result. */
export function takeTurns(): Turns {
  let endsAt = performance.now() + TURN_MS
  return {
    over() {
      if (performance.now() < endsAt) return undefined
      return setImmediate().then(() => {
        endsAt = performance.now() + TURN_MS
      })
    },
  }
}
