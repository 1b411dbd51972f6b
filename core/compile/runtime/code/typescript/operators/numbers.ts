import type { Json } from '../../../../../kernel/json/json.ts'
import type { Expr } from '../../../../language/ast.ts'
import type { CONVERSIONS } from '../../../../language/operators/conversions.ts'
import type { AGGREGATES } from '../../../../language/operators/numbers/aggregates.ts'
import type { ARITHMETIC } from '../../../../language/operators/numbers/arithmetic.ts'
import type { NUMBER_NAMES, NUMBER_TEXTS } from '../../../../language/operators/numbers/texts.ts'
import type { WRITTEN_NUMBERS } from '../../../../language/operators/numbers/written.ts'
import { BOOLEAN, JSON_VALUE, LIST, NUMBER, TEXT } from '../../../../language/value-types.ts'
import type { OperatorTable, Writer } from '../../writing/dialect.ts'
import { tsLiteral, tsString } from '../strings.ts'

type TableOf<Group> = Pick<OperatorTable, keyof Group & keyof OperatorTable>

/** An answer of a helper that may have none. */
export function needed(code: string, reason: string, write: Writer): string {
  return write.call('need', code, `'${reason}'`)
}

/** An object of arguments, without absent ones. */
export function options(given: Readonly<Record<string, Json | undefined>>): string {
  const parts = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${tsLiteral(value)}`],
  )
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

const binary =
  (helper: string) =>
  ({ left, right }: { readonly left: Expr; readonly right: Expr }, write: Writer): string => {
    const a = write.operand(left, NUMBER)
    return write.call('finite', write.call(helper, a, write.operand(right, NUMBER)))
  }

const ofValue =
  (helper: string) =>
  ({ value }: { readonly value: Expr }, write: Writer): string =>
    needed(write.call(helper, write.operand(value, NUMBER)), 'out_of_range', write)

const builtin =
  (name: string) =>
  ({ left, right }: { readonly left: Expr; readonly right: Expr }, write: Writer): string => {
    const a = write.operand(left, NUMBER)
    return write.call('finite', `${name}(${a}, ${write.operand(right, NUMBER)})`)
  }

/** Arithmetic on decimals. */
export const TS_ARITHMETIC: TableOf<typeof ARITHMETIC & typeof AGGREGATES> = {
  add: binary('addDecimal'),
  sub: ({ left, right }, write) => {
    const a = write.operand(left, NUMBER)
    return write.call('finite', write.call('addDecimal', a, `-${write.atom(right, NUMBER)}`.replace('--', '- -')))
  },
  mul: binary('mulDecimal'),
  div: binary('divDecimal'),
  mod: binary('modDecimal'),
  pow: binary('powDecimal'),
  min: builtin('Math.min'),
  max: builtin('Math.max'),
  neg: ({ value }, write) => `0 - ${write.atom(value, NUMBER)}`,
  abs: ({ value }, write) => `Math.abs(${write.operand(value, NUMBER)})`,
  sign: ({ value }, write) => `Math.sign(${write.operand(value, NUMBER)})`,
  round: ({ value, decimals = 0, mode = 'halfUp', digits }, write) => {
    const code = write.operand(value, NUMBER)
    const rounded =
      digits === undefined
        ? write.call('roundDecimals', code, String(decimals), tsString(mode))
        : write.call('roundSignificant', code, String(digits), tsString(mode))
    return write.call('finite', rounded)
  },
  roundStep: ({ value, step, mode = 'halfUp' }, write) => {
    const code = write.operand(value, NUMBER)
    return write.call('finite', write.call('roundToStep', code, write.operand(step, NUMBER), tsString(mode)))
  },
  sum: ({ list, by }, write) =>
    write.call('sum', write.operand(list, LIST), ...(by === undefined ? [] : [tsString(by)])),
  average: ({ list, kind }, write) =>
    write.call('averageOf', write.operand(list, LIST), ...(kind === undefined ? [] : [tsString(kind)])),
  smallest: ({ list }, write) => write.call('extreme', write.operand(list, LIST), 'Math.min'),
  largest: ({ list }, write) => write.call('extreme', write.operand(list, LIST), 'Math.max'),
  runningSum: ({ list }, write) => write.call('runningSum', write.operand(list, LIST)),
  differences: ({ list }, write) => write.call('differences', write.operand(list, LIST)),
}

/** Numbers with separators, in words, numerals and other bases. */
export const TS_NUMBER_TEXTS: TableOf<typeof NUMBER_TEXTS & typeof NUMBER_NAMES> = {
  parseNumber: ({ op: _op, text, ...given }, write) => {
    const reading = { decimal: '.', group: '', currency: false, percent: false, parentheses: false, ...given }
    return needed(write.call('parseNumberText', write.operand(text, TEXT), options(reading)), 'no_match', write)
  },
  formatNumber: ({ op: _op, value, ...given }, write) => {
    const { maxDecimals, ...others } = given
    const form = { minDecimals: 0, mode: 'halfUp', decimal: '.', group: '', minDigits: 1, sign: 'negative', ...others }
    const written = options(form).replace('{ ', `{ maxDecimals: ${maxDecimals ?? 'undefined'}, `)
    return write.call('formatNumberText', write.operand(value, NUMBER), written)
  },
  ordinal: ofValue('ordinalText'),
  roman: ofValue('romanText'),
  parseRoman: ({ text }, write) => needed(write.call('parseRomanText', write.operand(text, TEXT)), 'no_match', write),
  numberWords: ofValue('numberWordsText'),
  formatRadix: ({ value, radix }, write) =>
    needed(write.call('radixText', write.operand(value, NUMBER), String(radix)), 'out_of_range', write),
  parseRadix: ({ text, radix }, write) =>
    needed(write.call('parseRadixText', write.operand(text, TEXT), String(radix)), 'no_match', write),
}

/** Decimals and quantities as they are written. */
export const TS_WRITTEN: TableOf<typeof WRITTEN_NUMBERS> = {
  decimal: ({ do: name, left, right }, write) => {
    const a = write.operand(left, TEXT | NUMBER)
    return needed(
      write.call('calculateWritten', tsString(name), a, write.operand(right, TEXT | NUMBER)),
      'no_match',
      write,
    )
  },
  decimalRound: ({ value, decimals, mode = 'halfUp' }, write) =>
    needed(
      write.call('roundWritten', write.operand(value, TEXT | NUMBER), String(decimals), tsString(mode)),
      'no_match',
      write,
    ),
  decimalSum: ({ list }, write) => write.call('decimalSum', write.operand(list, LIST)),
  remainder: ({ text, divisor }, write) =>
    needed(write.call('remainderOf', write.operand(text, TEXT), String(divisor)), 'no_match', write),
  readQuantity: ({ text, to }, write) =>
    needed(write.call('readQuantityText', write.operand(text, TEXT), tsString(to)), 'no_match', write),
}

/** Conversions between types. */
export const TS_CONVERSIONS: TableOf<typeof CONVERSIONS> = {
  toText: ({ of }, write) => {
    const code = write.operand(of, TEXT | NUMBER | BOOLEAN)
    return write.types(of) === TEXT ? code : `String(${code})`
  },
  toNumber: ({ of }, write) => {
    const code = write.operand(of, TEXT | NUMBER | BOOLEAN)
    if (write.types(of) === NUMBER) return code
    return write.call('numberOf', code, write.uses.helper('readPlainNumber'))
  },
  toBoolean: ({ of }, write) => {
    const code = write.operand(of, TEXT | NUMBER | BOOLEAN)
    return write.types(of) === BOOLEAN ? code : needed(write.call('jsonToBoolean', code), 'no_match', write)
  },
  toJson: ({ of }, write) => write.call('canonicalJson', write.operand(of, JSON_VALUE)),
  parseJson: ({ text }, write) => needed(write.call('parseJsonText', write.operand(text, TEXT)), 'no_match', write),
}
