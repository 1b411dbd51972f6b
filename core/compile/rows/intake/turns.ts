import { setImmediate } from 'node:timers/promises'

/** How long work on rows may go on before others get their turn, milliseconds. */
const TURN_MS = 8

/** Cuts long work on the event loop into turns. */
export interface Turns {
  /** Resolves at once within a turn, and after others had theirs when it is over. Awaited only when it is over. */
  over(): Promise<void> | undefined
}

/** The turns of one piece of work; they change when it is done, never what comes of it. */
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
