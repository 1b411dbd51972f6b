import { measured, notMeasured, valueOf, type Figure } from '../../kernel/wire/figure.ts'
import { OBSERVED_DAYS, type TrafficFigures } from './cluster.ts'

/** The formula of the saving of a month, from the figures beside it. */
export const SAVING_FORMULA =
  'cost_usd * 30 / observed_days * hit_rate - run_cost_usd; observed_days is at least 1 and at most 30'

/** Right answers of a recipe that was compiled of the cluster, on held-out rows. */
export interface CompiledAccuracy {
  readonly jobId: string
  readonly accuracy: number
  readonly rows: number
}

/** The expected saving of a month, with everything that it is computed from. */
export interface MonthlySaving {
  /** US dollars; null when no cost is known, or nothing tells how many calls a recipe would answer. */
  readonly usd: number | null
  /** Cost of the observed calls, US dollars. */
  readonly costUsd: Figure
  readonly observedDays: number
  readonly hitRate: Figure
  readonly runCostUsd: Figure
}

const DAY_MS = 86_400_000
const MICROS = 1e6

/**
 * Computes what a recipe in place of the calls of a cluster would save in a month (reference F17). Traffic of less than a
 * day counts as a day's, so that a burst is not taken for a month of bursts. Calls whose cost is unknown save nothing.
 */
export function monthlySaving(figures: TrafficFigures, compiled: CompiledAccuracy | null, now: Date): MonthlySaving {
  const { calls, pricedCalls, statedCalls, costMicros, firstAt } = figures
  const days = Math.min(OBSERVED_DAYS, Math.max(1, (now.getTime() - firstAt.getTime()) / DAY_MS))
  const observedDays = Math.round(days * 100) / 100
  const costUsd =
    pricedCalls === 0
      ? notMeasured('no call has a known cost: the model has no listed price, and no caller stated a cost')
      : measured(costMicros / MICROS, pricedCalls, howPriced(calls, pricedCalls, statedCalls))
  const hitRate = hitRateOf(figures, compiled)
  const [cost, rate] = [valueOf(costUsd), valueOf(hitRate)]
  // Fees of providers alone: a run is charged the unit of quota that a call of a model is charged as well.
  const runCostUsd = measured(0, calls, 'a recipe runs in this service, and no provider charges for it')
  return {
    usd: cost === null || rate === null ? null : rounded(((cost * OBSERVED_DAYS) / observedDays) * rate),
    costUsd,
    observedDays,
    hitRate,
    runCostUsd,
  }
}

function hitRateOf({ tried, hits }: TrafficFigures, compiled: CompiledAccuracy | null): Figure {
  if (compiled !== null) {
    return measured(compiled.accuracy, compiled.rows, `right answers of ${compiled.jobId} on held-out rows`)
  }
  return measured(
    tried === 0 ? 0 : hits / tried,
    tried,
    'newest calls whose answer equals that of the most alike other call: what a recipe that only repeats gets right',
  )
}

function howPriced(calls: number, priced: number, stated: number): string {
  const unknown = calls > priced ? `; ${calls - priced} more calls have no known cost and count as 0` : ''
  if (stated === 0) return `counted tokens at listed prices${unknown}`
  return stated === priced
    ? `as callers stated it${unknown}`
    : `counted tokens at listed prices, and ${stated} calls as callers stated it${unknown}`
}

function rounded(usd: number): number {
  return Math.round(usd * MICROS) / MICROS
}
