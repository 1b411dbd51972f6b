import type { Json } from '../../../kernel/json/json.ts'
import { INPUT } from '../search/build.ts'
import type { Budget } from '../search/budget.ts'
import type { Collected, Collector } from './collector.ts'
import { diverseRows, shapeOf } from './row-shapes.ts'
import { learnRules } from '../rules/learn-rules.ts'
import { hasLabels } from './miss-cost.ts'
import { searchMembers } from './search-members.ts'
import { solveProblem } from './solve-problem.ts'
import { LONG_TEXT, searchDocuments, SHORT_DOCUMENT } from '../extraction/search-documents.ts'

const MAX_FIRST_ROWS = 8
const SMALL_SET = 12
const MAX_WORKING = 24
const MAX_ROUNDS = 6
const ROWS_PER_ROUND = 4
const MAX_IDLE_ROUNDS = 2
const FEW_LABELS = 36
/** Share of the budget for the search of short documents as plain texts; their lines have the rest. */
const SHARE_BEFORE_LINES = 0.5
/** Steps for other explanations once rules give every label. */
const RULED_STEPS = 60_000
/** The same once a formula gives every number. */
const FORMULA_STEPS = 400_000

function failuresToAdd(
  failures: readonly number[],
  working: readonly number[],
  inputs: readonly Json[],
  outputs: readonly Json[],
): number[] {
  const seen = new Set<string>()
  const fresh = failures.filter((row) => {
    if (working.includes(row)) return false
    const key = `${shapeOf(inputs[row] ?? null)}>${shapeOf(outputs[row] ?? null)}`
    return !seen.has(key) && seen.add(key) !== undefined
  })
  const more = failures.filter((row) => !working.includes(row) && !fresh.includes(row))
  return [...fresh, ...more].slice(0, ROWS_PER_ROUND)
}

/** Returns true when the outputs are a few labels that repeat and occur in no input. */
function areFewLabels(inputs: readonly Json[], outputs: readonly Json[]): boolean {
  const distinct = new Set(outputs).size
  return distinct * 3 <= outputs.length && distinct <= FEW_LABELS && hasLabels(inputs, outputs)
}

/**
 * Searches on a few distinct rows, tries the result on all rows, and adds rows that came out wrong, until every row is
 * right or more rows bring no improvement.
 */
export function searchRows(
  inputs: readonly Json[],
  outputs: readonly Json[],
  collector: Collector,
  k: number,
  budget: Budget,
): void {
  if (searchDocuments(inputs, outputs, collector, budget, { solve: solveProblem, least: LONG_TEXT })) return
  if (searchMembers(inputs, outputs, collector, k, budget, searchRows)) return
  let isRuled = false
  for (const { expr, cost, isByCategory } of learnRules(inputs, outputs, budget)) {
    const { matches } = collector.add(expr, cost)
    isRuled ||= matches === inputs.length && isByCategory === undefined
  }
  if (isRuled && areFewLabels(inputs, outputs)) {
    budget.within(RULED_STEPS, (part) => searchSubsets(inputs, outputs, collector, k, part), undefined)
    return
  }
  if (isRuled && areAllNumbers(outputs)) {
    budget.within(FORMULA_STEPS, (part) => searchSubsets(inputs, outputs, collector, k, part), undefined)
    return
  }
  if (!areShortDocuments(inputs)) {
    searchSubsets(inputs, outputs, collector, k, budget)
    return
  }
  const share = Math.ceil(budget.remaining * SHARE_BEFORE_LINES)
  budget.within(share, (part) => searchSubsets(inputs, outputs, collector, k, part), undefined)
  if (collector.best(1)[0]?.matches !== inputs.length)
    searchDocuments(inputs, outputs, collector, budget, { solve: solveProblem, least: SHORT_DOCUMENT })
}

/** True for texts, most of several lines, that are shorter than those which are searched as documents first. */
function areShortDocuments(inputs: readonly Json[]): boolean {
  const lined = inputs.filter((input) => typeof input === 'string' && input.includes('\n'))
  return lined.length * 2 > inputs.length && inputs.every((one) => typeof one === 'string' && one.length < LONG_TEXT)
}

function areAllNumbers(outputs: readonly Json[]): boolean {
  return outputs.every((output) => typeof output === 'number')
}

function searchSubsets(
  inputs: readonly Json[],
  outputs: readonly Json[],
  collector: Collector,
  k: number,
  budget: Budget,
): void {
  const isSmall = inputs.length <= SMALL_SET
  let working = isSmall ? inputs.map((_, row) => row) : diverseRows(inputs, outputs, MAX_FIRST_ROWS)
  let bestCost = Infinity
  let idleRounds = 0
  const areNumbers = areAllNumbers(outputs)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const problem = {
      root: INPUT,
      inputs: [...working.map((row) => inputs[row] ?? null), ...collector.unlabelled],
      targets: working.map((row) => outputs[row] ?? null),
      equality: collector.equality,
      depth: 0,
    }
    let best: Collected | undefined
    for (const { expr, cost, ownCost = cost } of solveProblem(problem, k, budget)) {
      const collected = collector.add(expr, ownCost)
      if (best === undefined || collected.cost.total < best.cost.total) best = collected
    }
    if (isSmall || best?.matches === inputs.length || working.length >= MAX_WORKING) return
    const isBetter = (best?.cost.total ?? Infinity) < bestCost
    bestCost = Math.min(bestCost, best?.cost.total ?? Infinity)
    idleRounds = isBetter ? 0 : idleRounds + 1
    // A formula with many constants needs many rows, and rows of numbers are searched fast.
    if (idleRounds >= MAX_IDLE_ROUNDS && !(best === undefined && areNumbers)) return
    const failures = best === undefined ? inputs.map((_, row) => row) : best.failures
    const added = failuresToAdd(failures, working, inputs, outputs)
    if (added.length === 0) return
    working = [...working, ...added]
  }
}
