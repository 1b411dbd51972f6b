import type { Expr } from '../../language/ast.ts'
import type { Budget } from '../search/budget.ts'
import { countRows, rowsWhere } from '../search/row-mask.ts'
import type { Predicate, PredicateKind } from './predicate.ts'

/** A program for some of the rows. */
export interface BranchProgram {
  readonly expr: Expr
  readonly cost: number
  /** The working rows that it gets right. */
  readonly covers: number
}

/** Branches in order; the last one has no guard. */
export interface DecisionList {
  readonly expr: Expr
  readonly cost: number
  readonly branches: number
}

interface Plan {
  readonly cost: number
  readonly guard: Predicate | undefined
  readonly program: BranchProgram
  readonly rest: Plan | undefined
}

const BRANCH_COST = 2
/** A branch for one row alone may be an accident. */
const SINGLE_ROW_COST = 1
/**
 * A constant that occurs in only one row is likely copied from it; the more so the closer its condition is to that row.
 * Where the outputs are labels, a label with one row is expected.
 */
const SINGLE_CONSTANT_COSTS = {
  labels: { structure: 0.2, limit: 0.3, content: 1.2 },
  texts: { structure: 0.5, limit: 2, content: 4.5 },
} as const
/** A condition on a text that separates one row from the others may use any part of it. */
const LONE_CONTENT_COST = 0.8
const COMPOSED_LABEL_COST = 1.5
const MAX_BRANCHES = 5

/** Builds the expression of a decision list. */
export function branchExpr(cases: readonly { when: Expr; then: Expr }[], otherwise: Expr): Expr {
  const only = cases[0]
  if (only === undefined) return otherwise
  if (cases.length === 1) return { op: 'if', cond: only.when, then: only.then, else: otherwise }
  return { op: 'switch', cases, else: otherwise }
}

/**
 * Finds the cheapest decision list that gets all of `rows` right: an exact search over the sets of rows that are left
 * after each branch. Guards and programs are shared between branches, so that few and simple ones win.
 */
export function cheapestDecisionList(
  programs: readonly BranchProgram[],
  predicates: readonly Predicate[],
  rows: number,
  areLabels: boolean,
  budget: Budget,
): DecisionList | undefined {
  // Among labels, one that holds a part of its only row is more likely a label as well.
  const isComposed = ({ expr, covers }: BranchProgram) => expr.op === 'concat' && countRows(covers) === 1
  const priced = areLabels
    ? programs.map((one) => (isComposed(one) ? { ...one, cost: one.cost + COMPOSED_LABEL_COST } : one))
    : programs
  const byCost = priced.toSorted((a, b) => a.cost - b.cost || countRows(b.covers) - countRows(a.covers))
  const total = countRows(rows)
  const guards = predicates
    .map((predicate) => {
      const mask = rowsWhere(predicate.holds.length, (row) => predicate.holds[row] === true)
      const held = countRows(mask & rows)
      const isLone = predicate.kind === 'content' && total > 2 && (held === 1 || held === total - 1)
      return { predicate, mask, price: predicate.cost + (isLone ? LONE_CONTENT_COST : 0) }
    })
    .toSorted((a, b) => a.price - b.price)
  const bestFor = new Map<number, BranchProgram | undefined>()
  const programFor = (mask: number): BranchProgram | undefined => {
    if (bestFor.has(mask)) return bestFor.get(mask)
    budget.spend(byCost.length >> 4)
    const found = byCost.find((program) => (program.covers & mask) === mask)
    bestFor.set(mask, found)
    return found
  }
  const constantCosts = SINGLE_CONSTANT_COSTS[areLabels ? 'labels' : 'texts']
  const support = (mask: number, program: BranchProgram, kind: PredicateKind) => {
    if (countRows(mask) > 1 || total <= 2) return 0
    return SINGLE_ROW_COST + (isCopied(program.expr) ? constantCosts[kind] : 0)
  }
  const memo = new Map<string, Plan | undefined>()
  const plan = (mask: number, branchesLeft: number): Plan | undefined => {
    const key = `${mask}/${branchesLeft}`
    if (memo.has(key)) return memo.get(key)
    const whole = programFor(mask)
    let best: Plan | undefined =
      whole === undefined
        ? undefined
        : { cost: whole.cost + support(mask, whole, 'limit'), guard: undefined, program: whole, rest: undefined }
    if (branchesLeft > 1) {
      budget.spend(guards.length)
      const tried = new Set<number>()
      for (const { predicate, mask: holds, price } of guards) {
        const part = holds & mask
        if (part === 0 || part === mask || tried.has(part)) continue
        // Guards come cheapest first, so the first one for a part is the one to take.
        tried.add(part)
        const program = programFor(part)
        if (program === undefined) continue
        const own = BRANCH_COST + price + program.cost + support(part, program, predicate.kind)
        if (best !== undefined && own >= best.cost) continue
        const rest = plan(mask & ~part, branchesLeft - 1)
        if (rest === undefined) continue
        if (best === undefined || own + rest.cost < best.cost)
          best = { cost: own + rest.cost, guard: predicate, program, rest }
      }
    }
    memo.set(key, best)
    return best
  }
  for (let branches = 2; branches <= MAX_BRANCHES; branches++) {
    const found = plan(rows, branches)
    if (found !== undefined) return listOf(found)
  }
  return undefined
}

/** A constant other than the empty ones. */
function isCopied(expr: Expr): boolean {
  return expr.op === 'literal' && expr.value !== '' && expr.value !== null && typeof expr.value !== 'boolean'
}

function listOf(plan: Plan): DecisionList {
  const cases: { when: Expr; then: Expr }[] = []
  let at = plan
  while (at.guard !== undefined && at.rest !== undefined) {
    cases.push({ when: at.guard.expr, then: at.program.expr })
    at = at.rest
  }
  return { expr: branchExpr(cases, at.program.expr), cost: plan.cost, branches: cases.length + 1 }
}
