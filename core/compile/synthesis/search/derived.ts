import type { Json } from '../../../kernel/json/json.ts'
import { type Build, evaluatorOf } from '../../language/evaluate/columns.ts'
import { CivilDate } from '../../language/primitives/dates/civil-date.ts'
import type { Value } from '../../language/value-types.ts'
import type { Cost } from '../ranking/cost.ts'
import type { Node } from './node.ts'

/** The expression and the values of a node. */
export type Operand = Pick<Node<Value>, 'expr' | 'values'>

/** Makes a node of another one, or of two, at its own cost. */
export type Derive<T> = (of: Operand, cost: Cost, by?: Operand) => Node<T>

function deriving<T extends Value>(is: (value: Value | undefined) => value is T) {
  return (build: Build): Derive<T> => {
    const evaluate = evaluatorOf(build)
    return (of, cost, by = of) => ({
      expr: build(of.expr, by.expr),
      cost,
      values: of.values.map((value, row) => {
        const other = by.values[row]
        const answer = value === undefined || other === undefined ? undefined : evaluate(value, other)
        return is(answer) ? answer : undefined
      }),
    })
  }
}

/** Texts that operators make of values, as the language evaluates them; none where they fail. */
export const textBy = deriving((value) => typeof value === 'string')
/** Numbers that operators make of values. */
export const numberBy = deriving((value) => typeof value === 'number')
/** Lists that operators make of values. */
export const listBy = deriving((value): value is readonly Json[] => Array.isArray(value))
/** Values of any type but dates that operators make of values. */
export const jsonBy = deriving((value): value is Json => value !== undefined && !(value instanceof CivilDate))
/** Dates that operators make of values. */
export const dateBy = deriving((value) => value instanceof CivilDate)
