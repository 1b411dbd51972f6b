import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { Predicate } from '../conditions/predicate.ts'
import { pairedConditions } from '../conditions/paired-conditions.ts'
import { constantCost } from '../text/constants.ts'
import { canBeCopied } from '../text/copied.ts'
import { searchConcat } from '../text/concat-search.ts'
import { literal } from '../search/build.ts'
import type { JsonNode } from '../search/node.ts'
import { decimalsOf } from '../numbers/tidy.ts'
import { solveNumber } from '../numbers/solve-number.ts'
import { prices } from '../numbers/prices/prices.ts'
import { joinedLists } from './joined-lists.ts'
import { solveLists } from './solve-lists.ts'
import { solveObjects } from './solve-objects.ts'
import type { Workspace } from './workspace.ts'
import { byCost, costBound, costOf } from '../ranking/cost.ts'

const TEXT_STEPS = 400_000
const MIN_PAIRED_ROWS = 5
const NOTHING = new Set<string>()

function targetsOf(workspace: Workspace, rows: readonly number[]): Json[] {
  return rows.map((row) => workspace.problem.targets[row] ?? null)
}

/** Texts that are joined lists; searched only when no simpler program explains all rows. */
function withJoins(workspace: Workspace): Parameters<typeof searchConcat>[0] {
  const sources = workspace.textEdges()
  const joins = joinedLists(workspace, sources.outputs)
  return joins.length === 0 ? sources : { ...sources, nodes: [...sources.nodes, ...joins] }
}

function solveText(workspace: Workspace, rows: readonly number[], k: number): JsonNode[] {
  const { budget } = workspace
  const search = (sources: Parameters<typeof searchConcat>[0]) =>
    budget.within(TEXT_STEPS, (part) => searchConcat(sources, rows, k, part), [])
  const found = search(workspace.textEdges())
  const isWhole = rows.length === workspace.problem.targets.length
  // Cheaper programs are not compared with joined lists.
  if (!isWhole || (found[0]?.cost.total ?? Infinity) <= costBound('text.plain')) return found
  const more = search(withJoins(workspace))
  return [
    ...more,
    ...found.filter((node) => !more.some(({ expr }) => JSON.stringify(expr) === JSON.stringify(node.expr))),
  ]
}

function solveNumbers(workspace: Workspace, rows: readonly number[], k: number): JsonNode[] {
  const values = targetsOf(workspace, rows).filter((target) => typeof target === 'number')
  const { number } = workspace.problem.equality
  const target = {
    rows,
    values,
    decimals: decimalsOf(values),
    isRoundedLater: false,
    ...(number === undefined ? {} : { tolerance: number }),
  }
  const found = solveNumber(workspace.numbers(), target, k, workspace.budget)
  if (found.length > 0) return found
  const { scope, budget } = workspace
  return prices(scope, target, budget).slice(0, k)
}

/** Returns true for a text that only one of the rows holds: weak evidence for why that row differs. */
function isLone({ kind, holds }: Predicate, rows: readonly number[]): boolean {
  const held = rows.filter((row) => holds[row] === true).length
  return kind === 'content' && (held === 1 || held === rows.length - 1)
}

function solveBooleans(workspace: Workspace, rows: readonly number[], k: number): JsonNode[] {
  const predicates = workspace.predicates()
  const single = predicates
    .filter(({ holds }) => workspace.isTarget(holds, rows))
    .map((one) => ({ expr: one.expr, cost: one.cost.when(isLone(one, rows), 'condition.loneText'), values: one.holds }))
  const paired = rows.length < MIN_PAIRED_ROWS ? [] : pairedConditions(predicates, workspace.problem.targets, rows)
  return [...single, ...paired].toSorted(byCost).slice(0, k)
}

/** Members and items of the input that equal the target unchanged. */
function copies(workspace: Workspace, rows: readonly number[]): JsonNode[] {
  return workspace.scope.roots.filter(({ values }) => workspace.isTarget(values, rows))
}

/** Returns true for a text that occurs in each of several inputs. */
function isCopyable({ problem: { inputs } }: Workspace, target: Json, rows: readonly number[]): boolean {
  return rows.length > 1 && rows.every((row) => canBeCopied(target, inputs[row]))
}

/** The target itself, where the rows share one. */
export function constants(workspace: Workspace, rows: readonly number[]): JsonNode[] {
  const [target, ...others] = targetsOf(workspace, rows)
  if (
    target === undefined ||
    !workspace.isTarget(
      workspace.problem.targets.map(() => target),
      rows,
    )
  )
    return []
  const cost =
    target === null || typeof target === 'boolean'
      ? costOf('constant.truthOrNull')
      : constantCost(JSON.stringify(target), {
          support: others.length + 1,
          copyable: NOTHING,
        }).when(isCopyable(workspace, target, rows), 'constant.copyable')
  return [
    { expr: literal(target), cost: cost.with('constant.whole'), values: workspace.problem.targets.map(() => target) },
  ]
}

function byType(workspace: Workspace, rows: readonly number[], k: number): JsonNode[] {
  const targets = targetsOf(workspace, rows)
  if (targets.every((target) => typeof target === 'string')) return solveText(workspace, rows, k)
  if (targets.every((target) => typeof target === 'number')) return solveNumbers(workspace, rows, k)
  if (targets.every((target) => typeof target === 'boolean')) return solveBooleans(workspace, rows, k)
  if (targets.every((target) => Array.isArray(target))) return solveLists(workspace, rows, k)
  if (targets.every((target) => isJsonObject(target))) return solveObjects(workspace, rows, k)
  return []
}

/** Programs without conditions at the top that give the target on all of the rows, cheapest first. */
export function solveStraight(workspace: Workspace, rows: readonly number[], k: number): JsonNode[] {
  const isWhole = rows.length === workspace.problem.targets.length
  const found = [...byType(workspace, rows, k), ...copies(workspace, rows), ...constants(workspace, rows)]
  // A program for some of the rows need not answer the unlabelled inputs.
  return (isWhole ? workspace.ranked(found) : found.toSorted(byCost)).slice(0, k)
}
