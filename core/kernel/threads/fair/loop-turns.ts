import { createFairQueue } from './fair-queue.ts'

/** Lets one piece of long work onto the event loop in each of its rounds, callers in turn. */
export interface LoopTurns {
  /**
   * Resolves at the caller's turn: until its next `await`, the code that follows is the only such work of this round.
   */
  take(caller: string): Promise<void>
}

/**
 * Turns on the event loop. Work of some milliseconds delays other calls by itself alone, not by all of its kind that
 * arrived at the same time.
 */
export function createLoopTurns(): LoopTurns {
  const queue = createFairQueue(1)
  return {
    async take(caller) {
      await new Promise<void>((resolve, reject) => {
        // The next turn begins one round later, after this one's work and the other callers' turns.
        queue
          .run(caller, async () => {
            resolve()
            await new Promise((over) => setImmediate(over))
          })
          .catch(reject)
      })
    },
  }
}
