import type { Budget } from '../search/budget.ts'
import { solveBranches } from './branches.ts'
import { hasLabels, missCost } from './miss-cost.ts'
import { solveStraight } from './straight.ts'
import { Workspace, type Problem, type Solution } from './workspace.ts'

/** A program this cheap needs no comparison with one that has conditions. */
const PLAIN_COST = 11

/** Extra cost of a program that gives up rows when one without conditions gets all of them right. */
const PLAIN_EXCEPTION_COST = 5

/**
 * Finds programs for the rows of a problem, cheapest first: without conditions and, if those are expensive, with
 * conditions.
 */
export function solveProblem(problem: Problem, k: number, budget: Budget): Solution[] {
  const workspace = new Workspace(problem, budget, solveProblem)
  const rows = problem.targets.map((_, row) => row)
  const straight = budget.within(Math.ceil(budget.remaining * 0.4), () => solveStraight(workspace, rows, k), [])
  if ((straight[0]?.cost ?? Infinity) <= PLAIN_COST) return straight
  const branched = budget.within(Math.ceil(budget.remaining * 0.9), () => solveBranches(workspace), [])
  const doubt = straight.length > 0 ? PLAIN_EXCEPTION_COST : 0
  const solutions: Solution[] = [
    ...straight,
    ...branched.map(({ expr, cost, missed }) => ({
      expr,
      cost:
        cost + (missed > 0 ? doubt : 0) + missed * missCost(rows.length, hasLabels(problem.inputs, problem.targets)),
      missed,
    })),
  ]
  return solutions.toSorted((a, b) => a.cost - b.cost).slice(0, k)
}
