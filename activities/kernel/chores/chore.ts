import type { RunningActivity } from '../run-activity.ts'

/** Result of a chore, in numbers. */
export type Counts = Readonly<Record<string, number>>

/**
 * A piece of a scheduled workflow's work: one activity. Each run does the work that is due, so repeating it is safe.
 */
export interface Chore<Deps> {
  /** Unique in its workflow; names the activity in Temporal's pages. */
  readonly name: string
  /** One-line summary of the activity in Temporal's pages. */
  readonly summary: string
  /** Longest time between two reports of progress, seconds; `STILL_S` when absent. */
  readonly stillS?: number
  /** Attempts in one tick; `ATTEMPTS` when absent. */
  readonly attempts?: number
  /** Ends after about `RUN_S`; the next tick does the rest. */
  readonly run: (deps: Deps, activity: ChoreActivity) => Promise<Counts>
}

/** Dependencies of a chore. */
export type ChoreActivity = Pick<RunningActivity, 'signal' | 'progress'>

/** A chore as its workflow sees it. */
export interface ListedChore {
  readonly name: string
  readonly summary: string
  /** Limit of one attempt, seconds. */
  readonly timeoutS: number
  readonly attempts: number
}

/** Time that a chore works in one tick, seconds. */
export const RUN_S = 60
/** A chore that reports no progress works for `RUN_S`, and its last statement may take 70 seconds. */
const STILL_S = 150
/** A chore that fails twice is left to the next tick. */
const ATTEMPTS = 2
/**
 * Attempts of a chore whose next tick comes within a minute: it is the next attempt, and a second one of a chore that
 * hangs would hold up the next tick of all others.
 */
export const ONE_ATTEMPT = 1

/** Lists chores for their workflow, which thereby depends on no list of its own. */
export function listChores<Deps>(chores: readonly Chore<Deps>[]): readonly ListedChore[] {
  return chores.map((chore) => ({
    name: chore.name,
    summary: chore.summary,
    timeoutS: RUN_S + stillSeconds(chore),
    attempts: chore.attempts ?? ATTEMPTS,
  }))
}

/** Finds a chore by its name. Throws an `Error` for an unknown name: it comes from another version of this program. */
export function choreNamed<Deps>(chores: readonly Chore<Deps>[], name: string): Chore<Deps> {
  const chore = chores.find((each) => each.name === name)
  if (chore === undefined) throw new Error(`no chore is named ${name}`)
  return chore
}

/** Returns the longest time that a chore may make no progress, seconds. */
export function stillSeconds({ stillS = STILL_S }: Pick<Chore<never>, 'stillS'>): number {
  return stillS
}
