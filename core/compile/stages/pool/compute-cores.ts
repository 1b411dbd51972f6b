import type { Limits } from '../../limits.ts'
import { createCores, type Cores } from '../../../kernel/threads/cores.ts'

/** The budget of a process that compiles and fits on `count` cores: each fit has the cores of its threads. */
export function createComputeCores(
  count: number,
  limits: Pick<Limits, 'short_turn_ms' | 'fit_turn_s' | 'trainer_threads'>,
): Cores {
  return createCores(count, {
    shortTurnMs: limits.short_turn_ms,
    longTurnMs: limits.fit_turn_s * 1000,
    longThreads: limits.trainer_threads,
  })
}
