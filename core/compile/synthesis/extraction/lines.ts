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
 * program over that line.
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
  const holding = lines.map((own, i) => own.filter((line) => line.includes(wanted[i] ?? '')))
  const pivot = holding.toSorted((a, b) => a.length - b.length)[0] ?? []
  const { name, expr: item } = itemVariable(0)
  const found: { readonly expr: Expr; readonly cost: Cost }[] = []
  const seen = new Set<string>()
  for (const filter of pivot.slice(0, MAX_PIVOT_LINES).flatMap((line) => filtersOf(line).slice(0, MAX_FILTERS))) {
    if (found.length >= MAX_FOUND) break
    budget.spend(1 + Math.ceil(units / UNITS_PER_STEP / 4))
    const indices = [0, -1, ...Array.from({ length: MAX_FROM_START }, (_, i) => i + 1), -MAX_FROM_END]
    for (const index of indices) {
      const chosen = chosenLines(lines, filter, index)
      if (!chosen.every((line, i) => line?.includes(wanted[i] ?? '') === true)) continue
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
