import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { branchExpr, casesOf, type Case } from '../../language/expressions/branches.ts'
import { isCounted, limitExpr, limitOf, type NumberLimit } from '../../language/expressions/conditions.ts'
import { valuesOf } from '../search/candidate-program.ts'
import { limitBetween, usualLimits } from './thresholds.ts'

/** The values of a limit's number on both sides of it, next to it; infinite where a side has none. */
function besideLimit({ number, value, isIncluded }: NumberLimit, inputs: readonly Json[]) {
  const values = valuesOf(number, inputs)?.filter((one) => typeof one === 'number') ?? []
  const isUpper = (one: number) => (isIncluded ? one >= value : one > value)
  return { low: Math.max(...values.filter((one) => !isUpper(one))), high: Math.min(...values.filter(isUpper)) }
}

/**
 * The condition with its limit between those of the inputs that reach it; the condition itself where it is no limit, or
 * where the inputs that do not reach it lie farther from the limit.
 */
function amongReached(when: Expr, reaching: readonly Json[], inputs: readonly Json[]): Expr {
  const limit = limitOf(when)
  if (limit === undefined) return when
  const { low, high } = besideLimit(limit, reaching)
  const all = besideLimit(limit, inputs)
  if (!Number.isFinite(low) || !Number.isFinite(high) || (low === all.low && high === all.high)) return when
  // Whole numbers: the least that is shown above, as `stepsOf` has it.
  if (isCounted(limit.number)) return limitExpr({ ...limit, value: high, isIncluded: true })
  const best = limitBetween(low, high, usualLimits(limit.number))
  return limitExpr({ ...limit, value: best.value, isIncluded: best.op === 'ge' })
}

/**
 * Returns a program with conditions in which each limit lies between the rows that reach its condition. Rows of earlier
 * branches say nothing about it: free delivery at home from 100 on is not seen from amounts sent abroad.
 */
export function limitsAmongReached(expr: Expr, inputs: readonly Json[]): Expr {
  const given = casesOf(expr)
  if (given === undefined) return expr
  let reaching = inputs
  const cases = given.cases.map(({ when, then }): Case => {
    const moved = { when: amongReached(when, reaching, inputs), then }
    const holds = valuesOf(when, reaching)
    reaching = reaching.filter((_, at) => holds?.[at] !== true)
    return moved
  })
  return branchExpr(cases, given.last)
}
