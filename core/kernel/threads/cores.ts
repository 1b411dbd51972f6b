import { availableParallelism } from 'node:os'
import { KERNEL_ERRORS } from '../errors.ts'
import { createFairLane, LaneFull, type FairLane } from './fair/fair-lane.ts'
import type { Share } from './fair/flows.ts'

/** `short`: work of milliseconds to seconds. `long`: work that keeps a core for minutes at lowered priority, and yields. */
export type LaneName = 'short' | 'long'

/**
 * The budget of cores of a process. Every thread computes on a core of one of the two lanes, which all pools share;
 * `Beside` names the exceptions. Short work never waits for long work: its lane has all cores, and the threads of the
 * other lane have a lower priority.
 */
export interface Cores extends Readonly<Record<LaneName, FairLane>> {
  /** Cores that the process may use. */
  readonly count: number
}

/** Says that the threads of a pool take no core of the budget by themselves, and why. */
export interface Beside {
  readonly beside: string
}

/** Division of the budget. */
export interface CoreOptions {
  /** Turn of the short lane, milliseconds: work that takes longer continues in an extra place while others wait. */
  readonly shortTurnMs?: number
  /** Turn of the long lane, milliseconds. */
  readonly longTurnMs?: number
  /** Cores that one work of the long lane keeps busy. */
  readonly longThreads?: number
}

/** Extra places of the short lane for each place, for work that outlasts its turn and cannot stop in the middle. */
const EXTRA_PER_PLACE = 2
/** Callers of one flow that wait in this process; more are turned away, so that other flows get in. */
const WAITING_PER_FLOW = 48
const SHORT_TURN_MS = 1500
const LONG_TURN_MS = 60_000

/** Places of each kind for a number of cores: long work leaves one core to short work where there are two. */
function countPlaces(cores: number, longThreads: number) {
  const long = Math.max(1, Math.floor((cores - 1) / longThreads))
  return { short: cores, extra: EXTRA_PER_PLACE * cores, long }
}

/** Makes the budget of a process; as many cores as the machine has when `count` is absent. */
export function createCores(count: number = availableParallelism(), options: CoreOptions = {}): Cores {
  const { shortTurnMs = SHORT_TURN_MS, longTurnMs = LONG_TURN_MS, longThreads = 1 } = options
  const { short, extra, long } = countPlaces(count, longThreads)
  const common = { waitingPerFlow: WAITING_PER_FLOW, now: () => performance.now() }
  return {
    count,
    short: createFairLane({ ...common, places: short, extraPlaces: extra, turnMs: shortTurnMs }),
    long: createFairLane({ ...common, places: long, extraPlaces: 0, turnMs: longTurnMs }),
  }
}

/** Tasks that may run at once in both lanes together, extra places included. */
export function countThreads({ short, long }: Cores): number {
  return short.most + long.most
}

/** Does `work` on a core. Throws the signal's reason when it is aborted first, and `busy` when too many of the flow wait. */
export async function onCore<T>(
  lane: FairLane,
  share: Share,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const slot = await takeCore(lane, share, signal)
  try {
    return await work()
  } finally {
    slot.release()
  }
}

/** Takes a core; `ticket` is that of the slot which the caller held before. Throws as `onCore`. */
export async function takeCore(lane: FairLane, share: Share, signal: AbortSignal = NEVER, ticket?: number) {
  try {
    return await lane.take(share, { signal, ticket })
  } catch (error) {
    if (!(error instanceof LaneFull)) throw error
    throw KERNEL_ERRORS.busy('too many calls wait for a core; try again shortly', { retryAfterS: 2, cause: error })
  }
}

/** The share of a caller who is like all others. */
export function evenShare(caller: string): Share {
  return { flow: caller, member: caller, weight: 1 }
}

const NEVER = new AbortController().signal
