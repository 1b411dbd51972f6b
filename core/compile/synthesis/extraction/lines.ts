import type { Json } from '../../../kernel/json/json.ts'
import type { EqualityNode } from '../../rows/equality/same-output.ts'
import type { Expr } from '../../language/ast.ts'
import type { Cost } from '../ranking/cost.ts'
import type { Budget } from '../search/budget.ts'
import { literalPattern } from '../search/build.ts'
import type { TextNode } from '../search/node.ts'
import { itemVariable } from '../lists/items.ts'
import type { Solve } from '../solve/workspace.ts'
import { shownText } from './fields.ts'
import { filtersOf, type RecordFilter } from './record-filters.ts'

const MAX_FILTERS = 160
const MAX_LINES = 60_000
const MAX_PIVOT_LINES = 6
const MAX_FROM_END = 2
const MAX_FROM_START = 3
const SOLVE_STEPS = 60_000
const UNITS_PER_STEP = 64
const MAX_FOUND = 2
/** Programs that are searched over lines that show a value in another form. */
const MAX_REWRITTEN = 6

/** The runs of digits of a text, without leading zeros. */
function digitRuns(text: string): ReadonlySet<string> {
  return new Set((text.match(/\d+/g) ?? []).map((digits) => digits.replace(/^0+(?=\d)/, '')))
}

/** Number of the runs of digits of a value that a line shows, as those of a date whose month it names. */
function countShared(line: string, runs: ReadonlySet<string>): number {
  return runs.size === 0 ? 0 : digitRuns(line).intersection(runs).size
}

interface LineSearch {
  readonly equality: EqualityNode
  readonly solve: Solve
  readonly budget: Budget
}

/** The line of each text that a condition and a place choose. */
function chosenLines(
  lines: readonly (readonly string[])[],
  filter: RecordFilter,
  index: number,
): (string | undefined)[] {
  return lines.map((own) => {
    const kept = own.filter(filter.holds)
    return kept.at(index)
  })
}

/**
 * Programs that find the one line of each text that holds its value, by a condition and a place among such lines, and search a
 * program over that line. Where no line holds the value as it is, the lines that show some of its digits are tried: those of a date
 * or an amount in another form.
 */
export function lineFields(
  source: TextNode,
  targets: readonly (Json | undefined)[],
  rows: readonly number[],
  { equality, solve, budget }: LineSearch,
): { readonly expr: Expr; readonly cost: Cost }[] {
  const present = rows.filter((row) => targets[row] !== undefined && targets[row] !== null)
  const wanted = present.map((row) => shownText(targets[row]) ?? '')
  const lines = present.map((row) => (source.values[row] ?? '').split('\n', MAX_LINES))
  if (present.length < 2 || present.length < rows.length || wanted.some((text) => text === '' || text.includes('\n')))
    return []
  const units = present.reduce((sum, row) => sum + (source.values[row]?.length ?? 0), 0)
  budget.spend(Math.ceil(units / UNITS_PER_STEP))
  const isVerbatim = lines.every((own, i) => own.some((line) => line.includes(wanted[i] ?? '')))
  const runs = wanted.map(digitRuns)
  const shared = (line: string, i: number): number =>
    isVerbatim ? Number(line.includes(wanted[i] ?? '')) : countShared(line, runs[i] ?? new Set())
  const holding = lines.map((own, i) => {
    const counted = own.map((line) => ({ line, count: shared(line, i) })).filter(({ count }) => count > 0)
    return counted.toSorted((a, b) => b.count - a.count).map(({ line }) => line)
  })
  const pivot = holding.toSorted((a, b) => a.length - b.length)[0] ?? []
  const { name, expr: item } = itemVariable(0)
  const found: { readonly expr: Expr; readonly cost: Cost }[] = []
  const seen = new Set<string>()
  for (const filter of pivot.slice(0, MAX_PIVOT_LINES).flatMap((line) => filtersOf(line).slice(0, MAX_FILTERS))) {
    if (found.length >= MAX_FOUND || (!isVerbatim && seen.size >= MAX_REWRITTEN)) break
    budget.spend(1 + Math.ceil(units / UNITS_PER_STEP / 4))
    const indices = [0, -1, ...Array.from({ length: MAX_FROM_START }, (_, i) => i + 1), -MAX_FROM_END]
    for (const index of indices) {
      const chosen = chosenLines(lines, filter, index)
      if (!chosen.every((line, i) => line !== undefined && shared(line, i) > 0)) continue
      const key = chosen.join('\n')
      if (seen.has(key)) break
      seen.add(key)
      const list: Expr = {
        op: 'filter',
        list: { op: 'split', text: source.expr, by: literalPattern('\n') },
        as: name,
        where: filter.build(item),
      }
      const line: Expr = { op: 'nth', list, index }
      const problem = {
        root: line,
        inputs: chosen.map((text) => text ?? ''),
        targets: present.map((row) => targets[row] ?? null),
        equality,
        depth: 1,
      }
      for (const solved of budget.within(SOLVE_STEPS, (part) => solve(problem, 2, part), []))
        found.push({
          expr: solved.expr,
          cost: source.cost
            .plus(filter.cost)
            .with('line.chosen')
            .with('between.occurrence', Math.abs(index))
            .plus(solved.cost),
        })
      break
    }
  }
  return found
}
