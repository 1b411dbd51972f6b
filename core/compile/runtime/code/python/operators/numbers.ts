import type { Json } from '../../../../../kernel/json/json.ts'
import type { Expr } from '../../../../language/ast.ts'
import type { AGGREGATES } from '../../../../language/operators/numbers/aggregates.ts'
import type { ARITHMETIC } from '../../../../language/operators/numbers/arithmetic.ts'
import type { NUMBER_NAMES, NUMBER_TEXTS } from '../../../../language/operators/numbers/texts.ts'
import type { WRITTEN_NUMBERS } from '../../../../language/operators/numbers/written.ts'
import type { CONVERSIONS } from '../../../../language/operators/conversions.ts'
import { BOOLEAN, JSON_VALUE, LIST, NUMBER, TEXT } from '../../../../language/value-types.ts'
import type { OperatorTable, Writer } from '../../writing/dialect.ts'
import { styled } from '../../writing/names.ts'
import { unitsConstant } from '../data.ts'
import { pyLiteral, pyString } from '../strings.ts'

type TableOf<Group> = Pick<OperatorTable, keyof Group & keyof OperatorTable>

/** Arguments by name; those that have their default are left out. */
export function keywords(given: Readonly<Record<string, Json | undefined>>): string[] {
  return Object.entries(given).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [`${styled(name, 'snake')}=${pyLiteral(value)}`],
  )
}

const binary =
  (helper: string) =>
  ({ left, right }: { readonly left: Expr; readonly right: Expr }, write: Writer): string => {
    const a = write.operand(left, NUMBER)
    return write.call(helper, a, write.operand(right, NUMBER))
  }

const ofValue =
  (helper: string) =>
  ({ value }: { readonly value: Expr }, write: Writer): string =>
    write.call(helper, write.operand(value, NUMBER))

const ofList =
  (helper: string) =>
  ({ list }: { readonly list: Expr }, write: Writer): string =>
    write.call(helper, write.operand(list, LIST))

const builtin =
  (name: string) =>
  ({ left, right }: { readonly left: Expr; readonly right: Expr }, write: Writer): string => {
    const a = write.operand(left, NUMBER)
    return `${name}(${a}, ${write.operand(right, NUMBER)})`
  }

/** Arithmetic on decimals. */
export const PY_ARITHMETIC: TableOf<typeof ARITHMETIC & typeof AGGREGATES> = {
  add: binary('_add'),
  sub: binary('_subtract'),
  mul: binary('_multiply'),
  div: binary('_divide'),
  mod: binary('_modulo'),
  pow: binary('_power'),
  min: builtin('min'),
  max: builtin('max'),
  neg: ({ value }, write) => `-${write.atom(value, NUMBER)}`,
  abs: ({ value }, write) => `abs(${write.operand(value, NUMBER)})`,
  sign: ({ value }, write) => {
    const name = write.name(value, NUMBER, 'number')
    return `(${name} > 0) - (${name} < 0)`
  },
  round: ({ value, decimals, mode, digits }, write) =>
    write.call(
      '_round',
      write.operand(value, NUMBER),
      ...keywords({ decimals: decimals === 0 ? undefined : decimals, mode, digits }),
    ),
  roundStep: ({ value, step, mode }, write) => {
    const code = write.operand(value, NUMBER)
    return write.call('_round_step', code, write.operand(step, NUMBER), ...keywords({ mode }))
  },
  sum: ({ list, by }, write) => write.call('_sum', write.operand(list, LIST), ...keywords({ by })),
  average: ({ list, kind }, write) => write.call('_average', write.operand(list, LIST), ...keywords({ kind })),
  smallest: ofList('_smallest'),
  largest: ofList('_largest'),
  runningSum: ofList('_running_sum'),
  differences: ofList('_differences'),
}

/** Numbers with separators, in words, numerals and other bases. */
export const PY_NUMBER_TEXTS: TableOf<typeof NUMBER_TEXTS & typeof NUMBER_NAMES> = {
  parseNumber: ({ op: _op, text, ...given }, write) =>
    write.call('_parse_number', write.operand(text, TEXT), ...keywords(given)),
  formatNumber: ({ op: _op, value, ...given }, write) =>
    write.call('_format_number', write.operand(value, NUMBER), ...keywords(given)),
  ordinal: ofValue('_ordinal'),
  roman: ofValue('_roman'),
  parseRoman: ({ text }, write) => write.call('_parse_roman', write.operand(text, TEXT)),
  numberWords: ofValue('_number_words'),
  formatRadix: ({ value, radix }, write) => write.call('_format_radix', write.operand(value, NUMBER), String(radix)),
  parseRadix: ({ text, radix }, write) => write.call('_parse_radix', write.operand(text, TEXT), String(radix)),
}

/** Decimals and quantities as they are written. */
export const PY_WRITTEN: TableOf<typeof WRITTEN_NUMBERS> = {
  decimal: ({ do: name, left, right }, write) => {
    const a = write.operand(left, TEXT | NUMBER)
    return write.call('_decimal', pyString(name), a, write.operand(right, TEXT | NUMBER))
  },
  decimalRound: ({ value, decimals, mode }, write) =>
    write.call('_decimal_round', write.operand(value, TEXT | NUMBER), String(decimals), ...keywords({ mode })),
  decimalSum: ofList('_decimal_sum'),
  remainder: ({ text, divisor }, write) => write.call('_remainder', write.operand(text, TEXT), String(divisor)),
  readQuantity: ({ text, to }, write) => {
    unitsConstant(to, write.uses)
    return write.call('_read_quantity', write.operand(text, TEXT), pyString(to))
  },
}

/** Conversions between types. */
export const PY_CONVERSIONS: TableOf<typeof CONVERSIONS> = {
  toText: ({ of }, write) => {
    const types = write.types(of)
    if (types === TEXT) return write.expr(of)
    if (types === NUMBER) return write.call('_number_text', write.expr(of))
    if (types === BOOLEAN) return `"true" if ${write.atom(of, BOOLEAN)} else "false"`
    return write.call('_to_text', write.operand(of, TEXT | NUMBER | BOOLEAN))
  },
  toNumber: ({ of }, write) => {
    const code = write.operand(of, TEXT | NUMBER | BOOLEAN)
    return write.types(of) === NUMBER ? code : write.call('_to_number', code)
  },
  toBoolean: ({ of }, write) => {
    const code = write.operand(of, TEXT | NUMBER | BOOLEAN)
    return write.types(of) === BOOLEAN ? code : write.call('_to_boolean', code)
  },
  toJson: ({ of }, write) => write.call('_canonical_json', write.operand(of, JSON_VALUE)),
  parseJson: ({ text }, write) => write.call('_parse_json', write.operand(text, TEXT)),
}
