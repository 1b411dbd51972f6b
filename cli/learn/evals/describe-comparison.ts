import type { z } from 'zod'
import type { CompareAnswer } from '../../../core/learn/wire/evals/compare.ts'
import { percent } from '../../terminal/percent.ts'
import { formatTable, plainText } from '../../terminal/table.ts'

type Answer = z.output<typeof CompareAnswer>

/** Writes a comparison of two evaluations: rows that are right or wrong, and figures of the corpus. */
export function describeComparison({ comparisons, metrics, paired }: Answer): string {
  if (comparisons.length === 0 && metrics.length === 0) return 'no row is in both evaluations'
  return [
    ...(comparisons.length === 0 ? [] : [rightTable(comparisons)]),
    ...(metrics.length === 0 ? [] : [metricsTable(metrics)]),
    ...(comparisons.length === 0 ? [] : [`${paired} rows in both; --json lists those that flipped`]),
  ].join('\n')
}

function rightTable(comparisons: Answer['comparisons']): string {
  return formatTable(
    ['rows', 'n', 'first', 'second', 'difference', '95 % interval', 'won', 'lost', 'p', 'adjusted'],
    comparisons.map((each) => [
      plainText([each.task, each.slice].filter((part) => part !== null).join(' · ') || 'all'),
      String(each.n),
      percent(each.accuracy.first),
      percent(each.accuracy.second),
      percent(each.difference),
      `${percent(each.interval.low)} to ${percent(each.interval.high)}`,
      String(each.won),
      String(each.lost),
      each.p_value.toPrecision(2),
      each.adjusted_p_value.toPrecision(2),
    ]),
  )
}

function metricsTable(metrics: Answer['metrics']): string {
  return formatTable(
    ['metric', 'rows', 'n', 'first', 'second', 'difference', '95 % interval', 'better', 'p', 'adjusted'],
    metrics.map((each) => [
      each.metric,
      plainText([each.task, each.filter === 'none' ? null : each.filter, each.slice].filter(Boolean).join(' · ')),
      String(each.n),
      each.first.toFixed(2),
      each.second.toFixed(2),
      each.difference.toFixed(2),
      each.interval === null ? '' : `${each.interval.low.toFixed(2)} to ${each.interval.high.toFixed(2)}`,
      betterOf(each),
      each.p_value.toPrecision(2),
      each.adjusted_p_value.toPrecision(2),
    ]),
  )
}

function betterOf({ difference, higher_is_better: isHigherBetter }: Answer['metrics'][number]): string {
  if (difference === 0) return 'equal'
  return difference > 0 === isHigherBetter ? 'second' : 'first'
}
