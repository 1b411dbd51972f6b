import type { Budget } from '../search/budget.ts'
import { solveBranches } from './branches.ts'
import { hasLabels, missCost } from './miss-cost.ts'
import { solveStraight } from './straight.ts'
import { Workspace, type Problem, type Solution } from './workspace.ts'
import { Cost, costBound } from '../ranking/cost.ts'

/**
 * Finds programs for the rows of a problem, cheapest first: without conditions and, if those are expensive, with
 * conditions.
 */
export function solveProblem(problem: Problem, k: number, budget: Budget): Solution[] {
  const workspace = new Workspace(problem, budget, solveProblem)
  const rows = problem.targets.map((_, row) => row)
  const straight = budget
    .within(Math.ceil(budget.remaining * 0.4), () => solveStraight(workspace, rows, k), [])
    .map(({ expr, cost, values }): Solution => ({
      expr,
      cost,
      unlabelled: workspace.unlabelledCost(values),
    }))
  const best = straight[0]
  if (best !== undefined && totalOf(best) <= costBound('program.plain')) return straight
  const branched = budget.within(Math.ceil(budget.remaining * 0.9), () => solveBranches(workspace), [])
  const areLabels = hasLabels(problem.inputs, problem.targets)
  const solutions: Solution[] = [
    ...straight,
    ...branched.map(({ expr, cost, missed }) => {
      // A program without conditions gets all rows right: giving up rows takes more.
      const ownCost = cost.when(missed > 0 && straight.length > 0, 'row.missed.plain')
      const all = ownCost.plus(missCost(rows.length, areLabels, missed))
      return { expr, cost: all, ownCost, unlabelled: Cost.NONE }
    }),
  ]
  return solutions.toSorted((a, b) => totalOf(a) - totalOf(b)).slice(0, k)
}

function totalOf({ cost, unlabelled }: Solution): number {
  return cost.total + unlabelled.total
}
