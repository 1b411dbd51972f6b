import type { Budget } from '../../search/budget.ts'
import type { NumberNode } from '../../search/node.ts'
import type { Scope } from '../../search/scope.ts'
import { byCost } from '../../ranking/cost.ts'
import { parsedNumbers } from '../number-space.ts'
import type { NumberTarget } from '../samples.ts'
import { brackets } from './brackets.ts'
import { rateSteps } from './rate-steps.ts'
import { rateTables } from './rate-tables.ts'
import { surcharges } from './surcharges.ts'

/** Adds the numbers that members hold as texts, as the cells of a spreadsheet do. */
export function withParsedNumbers(scope: Scope, { rows }: NumberTarget): Scope {
  const isRead = ({ values }: NumberNode) => rows.every((row) => values[row] !== undefined)
  const parsed = scope.texts.flatMap((text) => parsedNumbers([text]).filter(isRead).slice(0, 1))
  return parsed.length === 0 ? scope : { ...scope, numbers: [...scope.numbers, ...parsed] }
}

/**
 * Prices as people set them: by a rate that a category or a limit decides, as a sum with surcharges, or in brackets. The
 * cheapest first.
 */
export function prices(scope: Scope, target: NumberTarget, budget: Budget): NumberNode[] {
  const read = withParsedNumbers(scope, target)
  return [
    ...rateTables(read, target, budget),
    ...surcharges(read, target, budget),
    ...brackets(read.numbers, target, budget),
    ...rateSteps(read.numbers, target, budget),
  ].toSorted(byCost)
}
