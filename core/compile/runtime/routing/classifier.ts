import type { Signals } from './evidence.ts'
import weights from './weights.json' with { type: 'json' }

/** Weights of a logistic regression, one for each signal. */
export interface RoutingWeights {
  /** For calls whose query is about one of the concepts at least. */
  readonly asked: readonly number[]
  /** For calls whose query is about none: the input decides, unless the query is about something else. */
  readonly open: readonly number[]
}

/**
 * Returns the probability that a concept is the one that a call is for. Logistic regression, which is calibrated on calls
 * like those that it was fitted on: `npm run fit-routing` fits it on half of the tasks of bench/tasks, and
 * `npm run bench -- compose` measures it on the other half.
 */
export function probabilityOf(
  { input, query, open: unknown }: Signals,
  isAsked: boolean,
  { asked, open }: RoutingWeights = weights,
): number {
  const sum = isAsked ? dot([...input, ...query], asked) : dot([...input, ...unknown], open)
  return 1 / (1 + Math.exp(-sum))
}

function dot(signals: readonly number[], by: readonly number[]): number {
  return signals.reduce((sum, signal, at) => sum + signal * (by[at] ?? 0), 0)
}
