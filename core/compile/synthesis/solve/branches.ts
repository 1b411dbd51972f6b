import type { Json } from '../../../kernel/json/json.ts'
import { isSameValue } from '../../rows/equality/same-output.ts'
import { cheapestDecisionList, type BranchProgram } from '../conditions/decision-list.ts'
import { limitsAmongReached } from '../conditions/reached-limits.ts'
import { partsInPlace } from '../conditions/parts-in-place.ts'
import { limitsAtUnits } from '../conditions/unit-limits.ts'
import { pairedConditions } from '../conditions/paired-conditions.ts'
import type { Predicate } from '../conditions/predicate.ts'
import { INPUT } from '../search/build.ts'
import type { JsonNode } from '../search/node.ts'
import { allRows, countRows, rowsOf, rowsWhere } from '../search/row-mask.ts'
import { constants, solveStraight } from './straight.ts'
import { hasLabels } from './miss-cost.ts'
import type { Workspace } from './workspace.ts'
import { byCost, type Cost } from '../ranking/cost.ts'

const PER_CLUSTER = 6
const MAX_PAIRS = 66
/** The most forms of texts that each have their own program. */
const MOST_FORMS = 6
const CLUSTER_STEPS = 70_000
/** The same for the rows of one form where they are many: that one search spares those of their pairs. */
const FORM_STEPS = 200_000
const MANY_ROWS = 5
const DECISION_STEPS = 500_000
const MAX_LEFT_OUT = 8
const MIN_PAIRED_ROWS = 5
const MIN_DIFFERENT = 5
const MAX_LABEL_CONDITIONS = 8
const MAX_WIDEST = 3

/** Pairs of rows, neighbours first. */
function pairsOf(count: number): number[] {
  const pairs: number[] = []
  for (let gap = 1; gap < count; gap++) {
    for (let row = 0; row + gap < count && pairs.length < MAX_PAIRS; row++) pairs.push((1 << row) | (1 << (row + gap)))
  }
  return pairs
}

function coverOf(workspace: Workspace, { values }: JsonNode): number {
  const { targets, equality } = workspace.problem
  return rowsWhere(targets.length, (row) => {
    const value = values[row]
    const target = targets[row]
    return value !== undefined && target !== undefined && isSameValue(equality, value, target)
  })
}

/**
 * Rows whose texts differ in their digits alone, and rows of numbers of one sign, where not all rows are: a unit or a form
 * for each range of a number, as in sizes of files, degrees of two hemispheres, or a word in place of a number. Two rows of one form leave open how a number is
 * rounded or where it is read; all of them seldom do.
 */
function alikeButForDigits({ problem: { targets } }: Workspace): number[] {
  const groups = new Map<string, number>()
  for (const [row, target] of targets.entries()) {
    const text = typeof target === 'number' ? (target < 0 ? '-9' : '9') : target
    if (typeof text !== 'string' || !/\d/.test(text)) continue
    const form = text.replaceAll(/\d+(?:[.,]\d+)*/g, '9')
    groups.set(form, (groups.get(form) ?? 0) | (1 << row))
  }
  if (groups.size > MOST_FORMS) return []
  return [...groups.values()].filter((mask) => countRows(mask) > 2 && countRows(mask) < targets.length)
}

/**
 * Programs for clusters of rows: found on rows of one form, on pairs and on single rows, then tried on all of them, so that
 * each comes with the cluster which it explains. Pairs that one program already explains are not searched again.
 */
export function clusterPrograms(workspace: Workspace): BranchProgram[] {
  const { budget } = workspace
  const count = workspace.problem.targets.length
  const byExpr = new Map<string, BranchProgram>()
  const explained = new Set<number>()
  const search = (mask: number, steps = CLUSTER_STEPS) => {
    if (explained.has(mask)) return
    const found = budget.within(steps, () => solveStraight(workspace, rowsOf(mask), PER_CLUSTER), [])
    for (const node of [...found, ...constants(workspace, rowsOf(mask))]) {
      const covers = coverOf(workspace, node)
      if (covers === 0) continue
      const key = JSON.stringify(node.expr)
      const known = byExpr.get(key)
      if (known === undefined || known.cost.total > node.cost.total)
        byExpr.set(key, { expr: node.expr, cost: node.cost, covers })
    }
    const best = found[0]
    const cover = best === undefined ? 0 : coverOf(workspace, best)
    if (countRows(cover) <= 2) return
    const grown = rowsOf(cover)
    for (const a of grown) for (const b of grown) if (a < b) explained.add((1 << a) | (1 << b))
  }
  for (const form of alikeButForDigits(workspace))
    search(form, countRows(form) < MANY_ROWS ? CLUSTER_STEPS : FORM_STEPS)
  for (const pair of pairsOf(count)) search(pair)
  for (let row = 0; row < count; row++) search(1 << row)
  return [...byExpr.values()]
}

/** Returns pairs of conditions that together separate two labels. */
function labelConditions({ predicates, problem: { targets } }: Workspace): Predicate[] {
  const labels = [...new Set(targets)]
  if (labels.length !== 2 || targets.length < MIN_PAIRED_ROWS) return []
  const rows = targets.map((_, row) => row)
  return labels
    .flatMap((label) =>
      pairedConditions(
        predicates(),
        targets.map((target) => target === label),
        rows,
      ),
    )
    .toSorted(byCost)
    .slice(0, MAX_LABEL_CONDITIONS)
    .map(({ expr, cost, values }) => ({ expr, cost, kind: 'structure', holds: values }))
}

/** True for several texts that all differ: made from the inputs, each of them, and no labels. */
function areAllDifferent(targets: readonly Json[]): boolean {
  return (
    targets.length >= MIN_DIFFERENT &&
    targets.every((target) => typeof target === 'string') &&
    new Set(targets).size === targets.length
  )
}

/** A program with conditions, and the rows that it leaves wrong. */
export interface BranchSolution {
  readonly expr: BranchProgram['expr']
  readonly cost: Cost
  readonly missed: number
}

/**
 * Finds the cheapest programs with conditions: one for all rows, and one for all rows but one, since a row that needs
 * its own condition is as likely a mistake.
 */
export function solveBranches(workspace: Workspace): BranchSolution[] {
  const { budget, problem } = workspace
  const count = problem.targets.length
  const programs = clusterPrograms(workspace)
  const predicates = [...workspace.predicates(), ...labelConditions(workspace)]
  const all = allRows(count)
  const areLabels = hasLabels(problem.inputs, problem.targets) && !areAllDifferent(problem.targets)
  const out: BranchSolution[] = []
  const learn = (rows: number, missed: number) => {
    const found = budget.within(
      DECISION_STEPS,
      (part) => cheapestDecisionList(programs, predicates, rows, areLabels, part),
      undefined,
    )
    if (found === undefined) return
    const given = problem.inputs.slice(0, count)
    const expr = problem.root === INPUT ? limitsAmongReached(found.expr, given) : found.expr
    const inPlace = problem.root === INPUT ? partsInPlace(expr, given) : undefined
    // Of two that the rows cannot tell apart, the first is taken.
    for (const one of [inPlace, limitsAtUnits(expr), expr])
      if (one !== undefined) out.push({ expr: one, cost: found.cost, missed })
  }
  learn(all, 0)
  if (count >= 4 && count <= MAX_LEFT_OUT) for (let row = 0; row < count; row++) learn(all & ~(1 << row), 1)
  // Without the others, the programs that explain the most rows: a few rows may simply be wrong.
  const widest = programs
    .filter(({ covers }) => countRows(covers) * 2 > count)
    .toSorted((a, b) => countRows(b.covers) - countRows(a.covers) || byCost(a, b))
  for (const { expr, cost, covers } of widest.slice(0, MAX_WIDEST))
    out.push({ expr, cost, missed: count - countRows(covers) })
  return out.toSorted(byCost)
}
