import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { branchExpr, casesOf, type Case } from '../../language/expressions/branches.ts'
import { limitExpr, limitOf } from '../../language/expressions/conditions.ts'
import { valuesOf } from '../search/candidate-program.ts'
import { limitBetween, usualLimits } from './thresholds.ts'

/** The condition with its limit between the rows that come to it; the condition itself where it is no limit. */
function amongReached(when: Expr, inputs: readonly Json[]): Expr {
  const limit = limitOf(when)
  if (limit === undefined) return when
  const { number, value, isIncluded } = limit
  const values = valuesOf(number, inputs)?.filter((one) => typeof one === 'number') ?? []
  const isUpper = (one: number) => (isIncluded ? one >= value : one > value)
  const low = Math.max(...values.filter((one) => !isUpper(one)))
  const high = Math.min(...values.filter(isUpper))
  if (!Number.isFinite(low) || !Number.isFinite(high)) return when
  const best = limitBetween(low, high, usualLimits(number))
  return limitExpr({ ...limit, value: best.value, isIncluded: best.op === 'ge' })
}

/**
 * Returns a program with conditions in which each limit lies between the rows that come to its condition. Rows of earlier
 * branches say nothing about it: free delivery at home from 100 on is not seen from amounts sent abroad.
 */
export function limitsAmongReached(expr: Expr, inputs: readonly Json[]): Expr {
  const given = casesOf(expr)
  if (given === undefined) return expr
  let reaching = inputs
  const cases = given.cases.map(({ when, then }): Case => {
    const moved = { when: amongReached(when, reaching), then }
    const holds = valuesOf(when, reaching)
    reaching = reaching.filter((_, at) => holds?.[at] !== true)
    return moved
  })
  return branchExpr(cases, given.last)
}
