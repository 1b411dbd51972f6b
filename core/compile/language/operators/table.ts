import { BASICS } from './basics.ts'
import { ALTERNATIVES, CONDITIONS } from './choices.ts'
import { COMPARISONS, TESTS } from './comparisons.ts'
import { CONVERSIONS } from './conversions.ts'
import { DATE_READING } from './date-reading.ts'
import { DATES } from './dates.ts'
import type { AnyOperator } from './entry.ts'
import { LISTS } from './lists.ts'
import { AGGREGATES } from './numbers/aggregates.ts'
import { ARITHMETIC } from './numbers/arithmetic.ts'
import { NUMBER_NAMES, NUMBER_TEXTS } from './numbers/texts.ts'
import { WRITTEN_NUMBERS } from './numbers/written.ts'
import { OBJECTS } from './objects.ts'
import { CASING } from './text/casing.ts'
import { EDITING } from './text/edit.ts'
import { MAKING } from './text/make.ts'
import { MEASURING } from './text/measure.ts'
import { REGIONS } from './text/regions.ts'
import { SEARCHING } from './text/search.ts'

/** The operators by the tables of docs/formats/recipe-language.md, in their order. */
export const OPERATOR_GROUPS = {
  basic: BASICS,
  text: { ...MAKING, ...CASING, ...EDITING, ...SEARCHING, ...MEASURING, ...REGIONS },
  number: { ...NUMBER_TEXTS, ...WRITTEN_NUMBERS, ...ARITHMETIC, ...AGGREGATES, ...NUMBER_NAMES },
  date: { ...DATES, ...DATE_READING },
  choice: { ...CONDITIONS, ...COMPARISONS, ...TESTS, ...ALTERNATIVES },
  list: LISTS,
  object: OBJECTS,
  convert: CONVERSIONS,
}

/**
 * Every operator of the language. The syntax tree, the interpreter, type checks, the JSON schemas, printing and the
 * published tables and vectors are all derived from these entries.
 */
export const OPERATORS = {
  ...OPERATOR_GROUPS.basic,
  ...OPERATOR_GROUPS.text,
  ...OPERATOR_GROUPS.number,
  ...OPERATOR_GROUPS.date,
  ...OPERATOR_GROUPS.choice,
  ...OPERATOR_GROUPS.list,
  ...OPERATOR_GROUPS.object,
  ...OPERATOR_GROUPS.convert,
}

const BY_NAME: ReadonlyMap<string, AnyOperator> = new Map(Object.entries<AnyOperator>(OPERATORS))

/** Returns the operator of that name; undefined when unknown. */
export function findOperator(op: string): AnyOperator | undefined {
  return BY_NAME.get(op)
}
