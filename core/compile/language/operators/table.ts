import type { Op } from '../ast.ts'
import { CHOICE_OPERATORS } from './choices.ts'
import { DATE_READING_OPERATORS } from './date-reading.ts'
import { DATE_OPERATORS } from './dates.ts'
import type { OperatorSpec, OperatorTable } from './fields.ts'
import { NUMBER_OPERATORS } from './numbers.ts'
import { BASIC_OPERATORS, CONVERT_OPERATORS, LIST_OPERATORS, OBJECT_OPERATORS } from './structures.ts'
import { TEXT_OPERATORS } from './text.ts'

/**
 * Every operator of the language. Parsing, type checks, the JSON schema, printing and the published table are all read
 * from here; an operator of the AST that is not in it is a compile error.
 */
export const OPERATORS: OperatorTable<Op> = {
  ...BASIC_OPERATORS,
  ...TEXT_OPERATORS,
  ...NUMBER_OPERATORS,
  ...DATE_OPERATORS,
  ...DATE_READING_OPERATORS,
  ...CHOICE_OPERATORS,
  ...LIST_OPERATORS,
  ...OBJECT_OPERATORS,
  ...CONVERT_OPERATORS,
}

/** Returns the operator of that name; undefined when unknown. */
export function findOperator(op: string): OperatorSpec | undefined {
  return isOperator(op) ? OPERATORS[op] : undefined
}

function isOperator(op: string): op is Op {
  return Object.hasOwn(OPERATORS, op)
}
