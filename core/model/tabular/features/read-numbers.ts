import type { Json } from '../../../kernel/json/json.ts'

/** Sign that parts the whole digits of a number from its decimals. */
export type DecimalMark = '.' | ','

/** Form of the numbers of a column that are written as people do: `1.234,50 €`. */
export interface NumberForm {
  /** Null where no value of the column showed it: each number is read by its own marks. */
  readonly decimal: DecimalMark | null
  /** Text before or after the number, such as a currency or a unit; empty for none. */
  readonly affix: string
}

/** Numbers are held inside this bound, so that sums of their squares stay finite. */
const LARGEST = 1e100
const NUMBER_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const MAX_NUMBER_CHARS = 400
/** Digits in groups of three, by one of the usual signs, or without groups. */
const NUMBER_BY_MARK = {
  '.': /^(?:[1-9]\d{0,2}(?:([ ,'’\u00a0\u2009\u202f])\d{3}(?:\1\d{3})*)|\d+)(?:\.\d+)?$/,
  ',': /^(?:[1-9]\d{0,2}(?:([ .'’\u00a0\u2009\u202f])\d{3}(?:\1\d{3})*)|\d+)(?:,\d+)?$/,
} as const
const NUMBER_SIGN = /^[-+−]\s*/

/** A number within the bound; a sum of -0 and 0 may print in two ways. */
function boundNumber(number: number): number {
  return Math.max(-LARGEST, Math.min(LARGEST, number)) + 0
}

/** A number, or a text that writes a decimal number; NaN for everything else, also for the text `NaN`. */
export function readNumber(value: Json | undefined): number {
  if (typeof value === 'number') return boundNumber(value)
  if (typeof value !== 'string' || value.length > MAX_NUMBER_CHARS) return NaN
  const text = value.trim()
  return NUMBER_TEXT.test(text) ? boundNumber(Number(text)) : NaN
}

/**
 * The decimal mark of one number: of points and commas the last, where both occur. One that occurs several times groups digits,
 * and so does one that stands once before three digits, unless a zero or more than three digits stand before it.
 */
function markOf(text: string): DecimalMark {
  const point = text.lastIndexOf('.')
  const comma = text.lastIndexOf(',')
  const last = Math.max(point, comma)
  if (last < 0) return '.'
  const mark = last === point ? '.' : ','
  if (Math.min(point, comma) >= 0) return mark
  const isGroup = text.indexOf(mark) < last || (last <= 3 && last === text.length - 4 && !text.startsWith('0'))
  if (!isGroup) return mark
  return mark === '.' ? ',' : '.'
}

/**
 * A number, or a text that writes one in a form: a sign, digits that may be in groups of three, decimals after the mark, and
 * the affix on either side of them. NaN for everything else.
 */
export function readLocalNumber(value: Json | undefined, { decimal, affix }: NumberForm): number {
  if (typeof value === 'number') return boundNumber(value)
  if (typeof value !== 'string' || value.length > MAX_NUMBER_CHARS) return NaN
  let text = value.trim()
  let sign = NUMBER_SIGN.exec(text)?.[0] ?? ''
  text = text.slice(sign.length)
  if (affix !== '') {
    if (text.startsWith(affix)) text = text.slice(affix.length).trimStart()
    else if (text.endsWith(affix)) text = text.slice(0, -affix.length).trimEnd()
  }
  if (sign === '') {
    sign = NUMBER_SIGN.exec(text)?.[0] ?? ''
    text = text.slice(sign.length)
  }
  const mark = decimal ?? markOf(text)
  if (!NUMBER_BY_MARK[mark].test(text)) return NaN
  const digits = text
    .replaceAll(mark, 'd')
    .replaceAll(/[^\dd]/g, '')
    .replace('d', '.')
  const number = Number(digits)
  return boundNumber(sign === '' || sign.startsWith('+') ? number : -number)
}
