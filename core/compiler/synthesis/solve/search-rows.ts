import type { Json } from '../../../json.ts'
import { INPUT } from '../search/build.ts'
import type { Budget } from '../search/budget.ts'
import type { Collected, Collector } from './collector.ts'
import { diverseRows, shapeOf } from './row-shapes.ts'
import { missCost, solveProblem } from './solve-problem.ts'

const MAX_FIRST_ROWS = 8
const SMALL_SET = 12
const MAX_WORKING = 24
const MAX_ROUNDS = 6
const ROWS_PER_ROUND = 4

function failuresToAdd(failures: readonly number[], working: readonly number[], inputs: readonly Json[], outputs: readonly Json[]): number[] {
  const seen = new Set<string>()
  const fresh = failures.filter((row) => {
    if (working.includes(row)) return false
    const key = `${shapeOf(inputs[row] ?? null)}>${shapeOf(outputs[row] ?? null)}`
    return !seen.has(key) && seen.add(key) !== undefined
  })
  const more = failures.filter((row) => !working.includes(row) && !fresh.includes(row))
  return [...fresh, ...more].slice(0, ROWS_PER_ROUND)
}

/**
 * Searches on a few rows that differ, tries what it found on all rows, and adds rows that came out wrong, until every
 * row is right or more rows bring nothing better.
 */
export function searchRows(
  inputs: readonly Json[],
  outputs: readonly Json[],
  collector: Collector,
  k: number,
  budget: Budget,
): void {
  const isSmall = inputs.length <= SMALL_SET
  let working = isSmall ? inputs.map((_, row) => row) : diverseRows(inputs, outputs, MAX_FIRST_ROWS)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const problem = {
      root: INPUT,
      inputs: working.map((row) => inputs[row] ?? null),
      targets: working.map((row) => outputs[row] ?? null),
      depth: 0,
    }
    let best: Collected | undefined
    for (const { expr, cost, missed = 0 } of solveProblem(problem, k, budget)) {
      const collected = collector.add(expr, cost - missed * missCost(working.length))
      if (best === undefined || collected.cost < best.cost) best = collected
    }
    if (isSmall || best?.matches === inputs.length || working.length >= MAX_WORKING) return
    const failures = best === undefined ? inputs.map((_, row) => row) : best.failures
    const added = failuresToAdd(failures, working, inputs, outputs)
    if (added.length === 0) return
    working = [...working, ...added]
  }
}
