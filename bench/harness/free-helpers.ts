import type { Helpers } from '../../core/compile/stages/pool/sample-in-parts.ts'

/** Helpers for a pool whose tasks take their cores themselves. */
export function freeHelpers(count: number): Helpers {
  return { count, aside: async (work, signal) => void (signal.aborted || (await work())) }
}
