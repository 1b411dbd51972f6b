import type { Limits } from '../limits.ts'
import { createFairLane, type FairLane } from './fair-lane.ts'

/** `short`: stages of seconds, previews of them, exports. `fit`: work that holds a core for minutes, and yields. */
export type LaneName = 'short' | 'fit'

/** The compute slots of a process. */
export type ComputeSlots = Readonly<Record<LaneName, FairLane>>

/** Extra places of the short lane for each place, for stages that outlast their turn. */
const EXTRA_PER_PLACE = 2
/** Callers of one flow that wait in this process; more go back to Temporal, so that other flows get in. */
const WAITING_PER_FLOW = 48

/** Slots of each kind for a number of cores: fits leave one core to short work where there are two. */
export function countSlots(cores: number): { readonly short: number; readonly extra: number; readonly fit: number } {
  return { short: cores, extra: EXTRA_PER_PLACE * cores, fit: Math.max(1, cores - 1) }
}

/** Threads that all slots together may keep busy at once. */
export function countThreads(cores: number): number {
  const { short, extra, fit } = countSlots(cores)
  return short + extra + fit
}

/** Makes the slots of a process that computes on `cores` cores. */
export function createComputeSlots(cores: number, limits: Pick<Limits, 'short_turn_ms' | 'fit_turn_s'>): ComputeSlots {
  const { short, extra, fit } = countSlots(cores)
  const common = { waitingPerFlow: WAITING_PER_FLOW, now: () => performance.now() }
  return {
    short: createFairLane({ ...common, places: short, extraPlaces: extra, turnMs: limits.short_turn_ms }),
    fit: createFairLane({ ...common, places: fit, extraPlaces: 0, turnMs: limits.fit_turn_s * 1000 }),
  }
}
