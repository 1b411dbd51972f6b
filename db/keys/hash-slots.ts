import { DomainError } from '../../core/errors.ts'

/** Bounds how many hashes this process computes at once. */
export interface HashSlots {
  /** Runs the work when its turn comes. Throws `busy` when too many wait already. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/** Hashes that are computed at once: each takes one of the four threads that file access needs too. */
const RUNNING = 2
/** Those that may wait for it. */
const WAITING = 512

/** Makes the slots of a process. */
export function createHashSlots(): HashSlots {
  let running = 0
  const waiting: (() => void)[] = []
  return {
    async run(work) {
      if (running >= RUNNING) {
        if (waiting.length >= WAITING) throw new DomainError('busy', 'too many keys to check', { retryAfterS: 1 })
        await new Promise<void>((resolve) => waiting.push(resolve))
      } else running++
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next === undefined) running--
        else next()
      }
    },
  }
}
