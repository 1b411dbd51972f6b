import type { Json } from '../../../kernel/json/json.ts'
import { EACH } from '../../rows/equality/equality.ts'
import { equalityBelow } from '../../rows/equality/same-output.ts'
import type { ListNode } from '../lists/list-space.ts'
import { findTemplates } from '../lists/templates.ts'
import { listsByLength, loweredLists, shapedLists, totalledLists } from '../lists/shaped-lists.ts'
import { keptEnds, keptItems, memberNamesOf, solveItems } from '../lists/solve-items.ts'
import { listBy } from '../search/derived.ts'
import type { JsonNode } from '../search/node.ts'
import type { Expr } from '../../language/ast.ts'
import { unlabelledOf, type Workspace } from './workspace.ts'
import { byCost, costOf } from '../ranking/cost.ts'

const MAX_MAPPED = 8
const MAX_SHAPED = 14
/** Shaped lists that are shaped again, and those of them in the order of lengths, which have places of their own. */
const MAX_RESHAPED = 60
const MAX_RESHAPED_BY_LENGTH = 8
const MAX_LOWERED = 6
const MAX_DEPTH = 2
const MAX_FIXED = 6
const MIN_TEMPLATE_ROWS = 3
const MAX_TEMPLATE_TEXTS = 4

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/** A list of as many members on every row, each of which is a separate problem. */
function fixedList(workspace: Workspace, rows: readonly number[], targets: readonly (readonly Json[])[]): JsonNode[] {
  const { problem, budget } = workspace
  const length = targets[0]?.length ?? 0
  if (length === 0 || length > MAX_FIXED || targets.some((target) => target.length !== length) || rows.length < 2)
    return []
  const items: Expr[] = []
  let cost = costOf('list.fixed')
  for (let at = 0; at < length; at++) {
    const part = {
      root: problem.root,
      inputs: [...rows.map((row) => problem.inputs[row] ?? null), ...unlabelledOf(problem)],
      targets: targets.map((target) => target[at] ?? null),
      equality: equalityBelow(problem.equality, EACH),
      depth: problem.depth + 1,
    }
    const found = budget.within(Math.ceil(budget.remaining / 3), (own) => workspace.solve(part, 1, own)[0], undefined)
    if (found === undefined) return []
    items.push(found.expr)
    cost = cost.plus(found.cost)
  }
  const values = problem.targets.map((target, row) => (rows.includes(row) ? target : undefined))
  return [{ expr: { op: 'list', items }, cost, values }]
}

/** Lists of the groups of a template of the whole text. */
function templateLists(
  workspace: Workspace,
  rows: readonly number[],
  targets: readonly (readonly Json[])[],
): ListNode[] {
  // Fewer rows than these fit some template by chance.
  if (rows.length < Math.min(MIN_TEMPLATE_ROWS, workspace.problem.targets.length) || rows.length < 2) return []
  const items = targets.map((target) => target.filter((item) => typeof item === 'string'))
  if (items.some((own, i) => own.length !== targets[i]?.length)) return []
  return workspace.scope.texts.slice(0, MAX_TEMPLATE_TEXTS).flatMap((source) => {
    const samples = rows.map((row, i) => ({ text: source.values[row] ?? '', items: items[i] ?? [] }))
    workspace.budget.spend(samples.length)
    return findTemplates(samples).map(({ regex, cost }) =>
      listBy((text) => ({ op: 'groups', text, regex }))(source, source.cost.plus(cost)),
    )
  })
}

function shapedOrByLength(lists: readonly ListNode[]): ListNode[] {
  return [...lists.flatMap(shapedLists), ...lists.flatMap(listsByLength)]
}

/** Lists: those of the input, shaped, filtered and mapped, or of as many members each. */
export function solveLists(workspace: Workspace, rows: readonly number[], k: number): JsonNode[] {
  const { problem, budget } = workspace
  const targets = rows.map((row) => problem.targets[row]).filter(isList)
  if (targets.length < rows.length) return []
  const found: JsonNode[] = []
  const keep = (lists: readonly ListNode[]) => {
    for (const list of lists) if (workspace.isTarget(list.values, rows)) found.push(list)
  }
  const base = workspace.lists()
  keep(base)
  const simple = base.slice(0, MAX_SHAPED).flatMap(shapedLists)
  const byLength = base.slice(0, MAX_SHAPED).flatMap(listsByLength)
  const totalled = base.slice(0, MAX_SHAPED).flatMap(totalledLists)
  const shaped = [...simple, ...byLength, ...totalled]
  keep(shaped)
  budget.spend(shaped.length)
  if (found.length === 0) {
    const again = [...simple.slice(0, MAX_RESHAPED), ...byLength.slice(0, MAX_RESHAPED_BY_LENGTH)]
    keep(shapedOrByLength(again))
  }
  if (found.length === 0) {
    const lowered = base.slice(0, MAX_LOWERED).flatMap(loweredLists)
    const once = shapedOrByLength(lowered)
    budget.spend(lowered.length + once.length)
    keep([...lowered, ...once, ...shapedOrByLength(once)])
  }
  if (found.length === 0 && problem.depth < MAX_DEPTH) {
    const isNonTrivial = targets.some((target) => target.length > 0)
    const candidates = [...base, ...shaped].filter((list) => rows.every((row) => list.values[row] !== undefined))
    let tried = 0
    for (const list of isNonTrivial ? candidates : []) {
      if (tried >= MAX_MAPPED || found.length > 0) break
      if (!rows.every((row, i) => list.values[row]?.length === targets[i]?.length)) continue
      tried++
      const mapped = solveItems(list, targets, problem.equality, rows, problem.depth, workspace.solve, budget)
      if (mapped !== undefined) found.push(mapped)
    }
    if (found.length === 0) keep(templateLists(workspace, rows, targets))
    if (found.length === 0) {
      for (const list of candidates.slice(0, MAX_MAPPED)) {
        for (const member of [undefined, ...memberNamesOf(list)]) {
          const kept = keptItems(list, member, targets, problem.equality, rows, problem.depth, workspace.solve, budget)
          if (kept !== undefined) found.push(kept)
        }
      }
    }
    if (found.length === 0) {
      for (const list of candidates.slice(0, MAX_MAPPED)) {
        const kept = keptEnds(list, targets, problem.equality, rows, problem.depth, workspace.solve, budget)
        if (kept !== undefined) found.push(kept)
      }
    }
    if (found.length === 0) found.push(...fixedList(workspace, rows, targets))
  }
  return found.toSorted(byCost).slice(0, k)
}
