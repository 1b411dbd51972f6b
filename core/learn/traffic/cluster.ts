import type { RepeatRate } from './repeat-rate.ts'

/** Calls of one template from which on a suggestion is made (reference F17). */
export const READY_ROWS = 4
/** Days of traffic that are looked at. */
export const OBSERVED_DAYS = 30

/** Figures of the calls of a template, or of a cluster of templates, over the last 30 days. */
export interface TrafficFigures extends RepeatRate {
  /** Whole answers whose content is kept, whatever their review says. */
  readonly calls: number
  /** Calls whose cost is known. */
  readonly pricedCalls: number
  /** Those of them whose cost the caller stated. */
  readonly statedCalls: number
  /** Sum over the calls whose cost is known, millionths of a US dollar. */
  readonly costMicros: number
  readonly timedCalls: number
  /** Sum over the timed calls, microseconds. */
  readonly latencyUs: number
  readonly firstAt: Date
  readonly lastAt: Date
}

/** Adds the figures of the templates of a cluster. Throws a `RangeError` for an empty list. */
export function sumFigures(all: readonly TrafficFigures[]): TrafficFigures {
  const [first, ...others] = all
  if (first === undefined) throw new RangeError('a cluster has a template')
  let sum = first
  for (const next of others) {
    sum = {
      calls: sum.calls + next.calls,
      pricedCalls: sum.pricedCalls + next.pricedCalls,
      statedCalls: sum.statedCalls + next.statedCalls,
      costMicros: sum.costMicros + next.costMicros,
      timedCalls: sum.timedCalls + next.timedCalls,
      latencyUs: sum.latencyUs + next.latencyUs,
      tried: sum.tried + next.tried,
      hits: sum.hits + next.hits,
      firstAt: next.firstAt < sum.firstAt ? next.firstAt : sum.firstAt,
      lastAt: next.lastAt > sum.lastAt ? next.lastAt : sum.lastAt,
    }
  }
  return sum
}
