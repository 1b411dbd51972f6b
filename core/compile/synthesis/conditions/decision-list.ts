import type { Expr } from '../../language/ast.ts'
import type { Budget } from '../search/budget.ts'
import { countRows, rowsWhere } from '../search/row-mask.ts'
import type { Predicate, PredicateKind } from './predicate.ts'
import { branchExpr } from '../../language/expressions/branches.ts'
import { byCost, Cost, costOf } from '../ranking/cost.ts'

/** A program for some of the rows. */
export interface BranchProgram {
  readonly expr: Expr
  readonly cost: Cost
  /** The working rows that it gets right. */
  readonly covers: number
}

/** Branches in order; the last one has no guard. */
export interface DecisionList {
  readonly expr: Expr
  readonly cost: Cost
  readonly branches: number
}

interface Guard {
  readonly predicate: Predicate
  readonly mask: number
  readonly cost: Cost
}

interface Plan {
  /** The total cost of this branch and the rest. */
  readonly total: number
  readonly guard: Guard | undefined
  readonly program: BranchProgram
  /** Cost that only the rows of this branch add. */
  readonly support: Cost
  readonly rest: Plan | undefined
}

/** A branch for one row alone may be an accident. */
const ONE_ROW = costOf('branch.oneRow')
const BRANCH = costOf('branch')
/** A condition on a text that separates one row from the others may use any part of it. */
const LONE_CONTENT = costOf('branch.loneText')
/**
 * A constant that occurs in only one row is likely copied from it; the more so the closer its condition is to that row.
 * Where the outputs are labels, a label with one row is expected.
 */
const ONE_ROW_CONSTANTS: Readonly<Record<'labels' | 'texts', Readonly<Record<PredicateKind, Cost>>>> = {
  labels: {
    structure: costOf('branch.oneLabel.structure'),
    limit: costOf('branch.oneLabel.limit'),
    content: costOf('branch.oneLabel.content'),
  },
  texts: {
    structure: costOf('branch.oneText.structure'),
    limit: costOf('branch.oneText.limit'),
    content: costOf('branch.oneText.content'),
  },
}
const MAX_BRANCHES = 5

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
    ? programs.map((one) => (isComposed(one) ? { ...one, cost: one.cost.with('branch.composedLabel') } : one))
    : programs
  const cheapest = priced.toSorted((a, b) => byCost(a, b) || countRows(b.covers) - countRows(a.covers))
  const total = countRows(rows)
  const guards = predicates
    .map((predicate): Guard => {
      const mask = rowsWhere(predicate.holds.length, (row) => predicate.holds[row] === true)
      const held = countRows(mask & rows)
      const isLone = predicate.kind === 'content' && total > 2 && (held === 1 || held === total - 1)
      return { predicate, mask, cost: isLone ? predicate.cost.plus(LONE_CONTENT) : predicate.cost }
    })
    .toSorted(byCost)
  const bestFor = new Map<number, BranchProgram | undefined>()
  const programFor = (mask: number): BranchProgram | undefined => {
    if (bestFor.has(mask)) return bestFor.get(mask)
    budget.spend(cheapest.length >> 4)
    const found = cheapest.find((program) => (program.covers & mask) === mask)
    bestFor.set(mask, found)
    return found
  }
  const constants = ONE_ROW_CONSTANTS[areLabels ? 'labels' : 'texts']
  const support = (mask: number, program: BranchProgram, kind: PredicateKind) => {
    if (countRows(mask) > 1 || total <= 2) return Cost.NONE
    return isCopied(program.expr) ? ONE_ROW.plus(constants[kind]) : ONE_ROW
  }
  const memo = new Map<string, Plan | undefined>()
  const plan = (mask: number, branchesLeft: number): Plan | undefined => {
    const key = `${mask}/${branchesLeft}`
    if (memo.has(key)) return memo.get(key)
    const whole = programFor(mask)
    let best: Plan | undefined
    if (whole !== undefined) {
      const extra = support(mask, whole, 'limit')
      const total = whole.cost.total + extra.total
      best = { total, guard: undefined, program: whole, support: extra, rest: undefined }
    }
    if (branchesLeft > 1) {
      budget.spend(guards.length)
      const tried = new Set<number>()
      for (const guard of guards) {
        const part = guard.mask & mask
        if (part === 0 || part === mask || tried.has(part)) continue
        // Guards come cheapest first, so the first one for a part is the one to take.
        tried.add(part)
        const program = programFor(part)
        if (program === undefined) continue
        const extra = support(part, program, guard.predicate.kind)
        const own = BRANCH.total + guard.cost.total + program.cost.total + extra.total
        if (best !== undefined && own >= best.total) continue
        const rest = plan(mask & ~part, branchesLeft - 1)
        if (rest === undefined) continue
        if (best === undefined || own + rest.total < best.total)
          best = { total: own + rest.total, guard, program, support: extra, rest }
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
  let cost = Cost.NONE
  while (at.guard !== undefined && at.rest !== undefined) {
    cases.push({ when: at.guard.predicate.expr, then: at.program.expr })
    cost = cost.plus(BRANCH).plus(at.guard.cost).plus(at.program.cost).plus(at.support)
    at = at.rest
  }
  cost = cost.plus(at.program.cost).plus(at.support)
  return { expr: branchExpr(cases, at.program.expr), cost, branches: cases.length + 1 }
}
