import type { Json } from '../../../kernel/json/json.ts'
import { branchExpr } from '../../language/expressions/branches.ts'
import { limitBetween, limitCost, usualLimits } from '../conditions/thresholds.ts'
import { literal } from '../search/build.ts'
import type { NumberNode } from '../search/node.ts'
import { costOf } from '../ranking/cost.ts'
import type { CategoryProgram } from './by-category.ts'

const MOST_RUNS = 8
/** Rows of each run where every value has one run: its neighbours show both of its limits. */
const MIN_RUN = 2
/** Rows for each run, on average, where one of the runs has a single row. */
const ROWS_PER_RUN = 3
/** Rows of each run where a value has several, as a rate that a period interrupts: fewer rows lie side by side by chance. */
const MIN_INTERRUPTED = 4

/** Rows in the order of a number that have one output. */
interface Run {
  readonly output: Json
  readonly first: number
  readonly last: number
  readonly rows: number
}

/** The runs of outputs of some rows in the order of a number; undefined where there are too many, or a row has no number. */
function runsOf({ values }: NumberNode, rows: readonly number[], outputs: readonly Json[]): Run[] | undefined {
  const points: { readonly x: number; readonly output: Json }[] = []
  for (const row of rows) {
    const x = values[row]
    if (x === undefined) return undefined
    points.push({ x, output: outputs[row] ?? null })
  }
  points.sort((a, b) => a.x - b.x)
  const runs: Run[] = []
  for (const { x, output } of points) {
    const last = runs.at(-1)
    if (last !== undefined && last.output === output) runs[runs.length - 1] = { ...last, last: x, rows: last.rows + 1 }
    // Rows of one number and two outputs have no limit between them.
    else if (last?.last === x || runs.length === MOST_RUNS) return undefined
    else runs.push({ output, first: x, last: x, rows: 1 })
  }
  return runs
}

/** True for runs that chance seldom makes. Of prices that rise with the number, one may have a single row among many. */
function areShown(runs: readonly Run[]): boolean {
  if (runs.length < 2) return false
  if (new Set(runs.map(({ output }) => output)).size < runs.length)
    return runs.length === 3 && runs.every(({ rows }) => rows >= MIN_INTERRUPTED)
  const single = runs.filter(({ rows }) => rows < MIN_RUN).length
  if (single === 0) return true
  const numbers = runs.flatMap(({ output }) => (typeof output === 'number' ? [output] : []))
  const isRising =
    numbers.length === runs.length && numbers.every((one, at) => at === 0 || one > (numbers[at - 1] ?? one))
  const total = runs.reduce((sum, { rows }) => sum + rows, 0)
  return isRising && single === 1 && total >= ROWS_PER_RUN * runs.length
}

/** The ends of the rows beside a limit. */
interface Gap {
  readonly low: number
  readonly high: number
}

function gapsOf(runs: readonly Run[]): Gap[] {
  return runs.slice(1).map(({ first }, at) => ({ low: runs[at]?.last ?? first, high: first }))
}

/** The gap, cut to those of other categories that lie across it: categories mostly share their limits. */
function narrowed(gap: Gap, others: readonly Gap[]): Gap {
  return others.reduce((own, other) => {
    const met = { low: Math.max(own.low, other.low), high: Math.min(own.high, other.high) }
    return met.low < met.high ? met : own
  }, gap)
}

/**
 * Finds the number whose steps give the outputs of some rows, such as a price by weight: the fewest steps, those with the most
 * rows first. `others` are the rows of the other categories.
 */
export function steppedValues(
  numbers: readonly NumberNode[],
  outputs: readonly Json[],
  rows: readonly number[],
  others: readonly (readonly number[])[],
): CategoryProgram | undefined {
  const [best] = numbers
    .flatMap((node) => {
      const runs = runsOf(node, rows, outputs)
      return runs !== undefined && areShown(runs) ? [{ node, runs }] : []
    })
    .toSorted((a, b) => a.runs.length - b.runs.length || a.node.cost.total - b.node.cost.total)
  if (best === undefined) return undefined
  const { node, runs } = best
  const elsewhere = others.flatMap((of) => gapsOf(runsOf(node, of, outputs) ?? []))
  const usual = usualLimits(node.expr)
  const limits = gapsOf(runs)
    .map((gap) => narrowed(gap, elsewhere))
    .map(({ low, high }) => limitBetween(low, high, usual))
  const cases = limits.map(({ op, value }, at) => ({
    when: { op, left: node.expr, right: literal(value) } as const,
    then: literal(runs[at + 1]?.output ?? null),
  }))
  return {
    expr: branchExpr(cases.toReversed(), literal(runs[0]?.output ?? null)),
    cost: limits.reduce(
      (sum, limit) => sum.with('rateStep').plus(limitCost(limit)),
      node.cost.plus(costOf('constant.whole')),
    ),
  }
}
