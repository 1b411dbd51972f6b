import type { NumberExpr } from '../ast.ts'
import { type ArithmeticOp, ROUND_MODES, SIGN_STYLES } from '../names.ts'
import { NUMBER, TEXT } from '../value-types.ts'
import { choice, expr, flag, integer, list, type OperatorSpec, type OperatorTable, optional, text } from './fields.ts'

const group = 'number'
const mode = optional(choice(ROUND_MODES))
const decimals = optional(integer(0, 20))
const separator = optional(text(0, 4))

const arithmetic = (meaning: string): OperatorSpec => ({
  group,
  fields: { left: expr(NUMBER), right: expr(NUMBER) },
  result: NUMBER,
  meaning,
})
const ofValue = (meaning: string, result = NUMBER): OperatorSpec => ({
  group,
  fields: { value: expr(NUMBER) },
  result,
  meaning,
})
const ofList = (meaning: string): OperatorSpec => ({ group, fields: { list }, result: NUMBER, meaning })

const ARITHMETIC: OperatorTable<ArithmeticOp> = {
  add: arithmetic('The decimal sum.'),
  sub: arithmetic('The decimal difference.'),
  mul: arithmetic('The decimal product.'),
  div: arithmetic('The decimal quotient; `out_of_range` by zero.'),
  mod: arithmetic('`left - right * floor(left / right)`; `out_of_range` by zero.'),
  pow: arithmetic('A whole power from -64 to 64, else `out_of_range`.'),
  min: arithmetic('The smaller.'),
  max: arithmetic('The larger.'),
}

/** Operators that read, compute and write numbers. */
export const NUMBER_OPERATORS: OperatorTable<NumberExpr['op']> = {
  parseNumber: {
    group,
    fields: {
      text: expr(TEXT),
      decimal: optional(text(1, 4)),
      group: separator,
      currency: flag,
      percent: flag,
      parentheses: flag,
    },
    result: NUMBER,
    meaning: 'The number that the whole text is; `no_match` when it is none. Defaults: decimal `.`, no grouping.',
  },
  formatNumber: {
    group,
    fields: {
      value: expr(NUMBER),
      minDecimals: decimals,
      maxDecimals: decimals,
      mode,
      decimal: optional(text(1, 4)),
      group: separator,
      minDigits: optional(integer(1, 64)),
      sign: optional(choice(SIGN_STYLES)),
    },
    result: TEXT,
    meaning:
      'Plain digits, never an exponent. Defaults: as many decimals as the number has, `halfUp`, decimal `.`, no groups, sign `negative`.',
  },
  ...ARITHMETIC,
  neg: ofValue('The number with the other sign.'),
  abs: ofValue('The magnitude.'),
  sign: ofValue('-1, 0 or 1.'),
  round: {
    group,
    fields: { value: expr(NUMBER), decimals: optional(integer(-20, 20)), mode },
    result: NUMBER,
    meaning: 'Rounded to `decimals` places (default 0; negative: tens, hundreds). Default mode `halfUp`.',
  },
  roundStep: {
    group,
    fields: { value: expr(NUMBER), step: expr(NUMBER), mode },
    result: NUMBER,
    meaning: 'Rounded to a multiple of a step above 0, else `out_of_range`. Default mode `halfUp`.',
  },
  sum: ofList('`add` from left to right; 0 for an empty list.'),
  average: ofList('`sum` divided by the number of items; `out_of_range` for an empty list.'),
  smallest: ofList('The smallest number; `missing` for an empty list.'),
  largest: ofList('The largest number; `missing` for an empty list.'),
  ordinal: ofValue('`1st`, `22nd`, `13th`; whole numbers up to 2^53 - 1 in magnitude, else `out_of_range`.', TEXT),
  roman: ofValue('Roman numerals, 1 to 3999, upper-case.', TEXT),
  parseRoman: {
    group,
    fields: { text: expr(TEXT) },
    result: NUMBER,
    meaning: 'A roman numeral of either case, in its one correct form; else `no_match`.',
  },
  numberWords: ofValue('English words: `minus one thousand two hundred thirty-four`. Below 10^15.', TEXT),
  formatRadix: {
    group,
    fields: { value: expr(NUMBER), radix: integer(2, 36) },
    result: TEXT,
    meaning: 'A whole number up to 2^53 - 1 in magnitude in another base, lower-case digits; else `out_of_range`.',
  },
  parseRadix: {
    group,
    fields: { text: expr(TEXT), radix: integer(2, 36) },
    result: NUMBER,
    meaning:
      'A whole number up to 2^53 - 1 in magnitude written in another base with at most 64 digits, either case, with an optional sign; else `no_match`.',
  },
}
