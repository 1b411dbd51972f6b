import type { Expr } from '../../../../language/ast.ts'
import type { DATE_READING } from '../../../../language/operators/date-reading.ts'
import type { DATES as DATE_OPERATORS } from '../../../../language/operators/dates.ts'
import type { AGGREGATES } from '../../../../language/operators/numbers/aggregates.ts'
import type { ARITHMETIC } from '../../../../language/operators/numbers/arithmetic.ts'
import type { NUMBER_NAMES, NUMBER_TEXTS } from '../../../../language/operators/numbers/texts.ts'
import type { WRITTEN_NUMBERS } from '../../../../language/operators/numbers/written.ts'
import { NUMBER } from '../../../../language/value-types.ts'
import { number, type SqlPrinter, type SqlTableOf } from '../table.ts'
import { DATES, NESTED, NUMBERS } from './refused.ts'

// Halfway between the largest double and the next power of two, and half the smallest: there Postgres raises an error.
const TOO_LARGE = '1.797693134862315807937e308'
const TOO_SMALL = '2.4703282292062327e-324'

/** Exact decimal arithmetic, rounded to a double once; null where the result is too large. */
const exact =
  (sign: '+' | '-' | '*'): SqlPrinter<{ readonly left: Expr; readonly right: Expr }> =>
  ({ left, right }, write) => {
    const value = `(${write.number(left)})::text::numeric ${sign} (${write.number(right)})::text::numeric`
    return number(
      `(SELECT CASE WHEN abs(exact) <= ${TOO_SMALL} THEN 0 WHEN abs(exact) < ${TOO_LARGE} THEN exact::double precision END ` +
        `FROM (SELECT ${value} AS exact) AS calculated)`,
    )
  }

const extreme =
  (name: 'least' | 'greatest'): SqlPrinter<{ readonly left: Expr; readonly right: Expr }> =>
  ({ left, right }, write) =>
    number(`${name}(${write.total(left, NUMBER, 'number')}, ${write.total(right, NUMBER, 'number')})`)

/** Numbers. */
export const SQL_NUMBERS: SqlTableOf<
  typeof ARITHMETIC & typeof AGGREGATES & typeof NUMBER_TEXTS & typeof NUMBER_NAMES & typeof WRITTEN_NUMBERS
> = {
  add: exact('+'),
  sub: exact('-'),
  mul: exact('*'),
  div: NUMBERS,
  mod: NUMBERS,
  pow: NUMBERS,
  min: extreme('least'),
  max: extreme('greatest'),
  neg: ({ value }, write) => number(`(0 - ${write.number(value)})`),
  abs: ({ value }, write) => number(`abs(${write.number(value)})`),
  sign: ({ value }, write) => number(`sign(${write.number(value)})`),
  round: NUMBERS,
  roundStep: NUMBERS,
  sum: NESTED,
  average: NESTED,
  smallest: NESTED,
  largest: NESTED,
  runningSum: NESTED,
  differences: NESTED,
  parseNumber: NUMBERS,
  formatNumber: NUMBERS,
  decimal: NUMBERS,
  decimalRound: NUMBERS,
  decimalSum: NESTED,
  readQuantity: NUMBERS,
  remainder: NUMBERS,
  ordinal: NUMBERS,
  roman: NUMBERS,
  parseRoman: NUMBERS,
  numberWords: NUMBERS,
  formatRadix: NUMBERS,
  parseRadix: NUMBERS,
}

/** Dates. */
export const SQL_DATES: SqlTableOf<typeof DATE_OPERATORS & typeof DATE_READING> = {
  parseDate: DATES,
  formatDate: DATES,
  makeDate: DATES,
  addTime: DATES,
  startOf: DATES,
  endOf: DATES,
  dateDifference: DATES,
  datePart: DATES,
  fromUnix: DATES,
  atOffset: DATES,
  readDate: DATES,
  nthWeekday: DATES,
  windowStart: DATES,
  windowEnd: DATES,
}
