import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'
import { type CharSet, CLASS_NAMES, type ClassName } from '../../names.ts'
import { UNICODE_RUNS } from './unicode-classes.ts'

/** Bits of the class table. A code unit may have several; surrogates have none. */
export const DIGIT = 1
export const LOWER = 2
export const UPPER = 4
/** A letter that is neither upper- nor lower-case. */
export const OTHER_LETTER = 8
export const MARK = 16
export const SPACE = 32
export const PUNCT = 64
const ASCII = 128
/** A decimal digit of any script. */
export const ANY_DIGIT = 256
const CURRENCY = 512

/** Letters of any case, and the combining marks that belong to them. */
export const ALPHA = LOWER | UPPER | OTHER_LETTER | MARK
export const ALNUM = ALPHA | DIGIT

const CLASS_BITS: Readonly<Record<ClassName, number>> = {
  digit: DIGIT,
  lower: LOWER,
  upper: UPPER,
  alpha: ALPHA,
  alnum: ALNUM,
  space: SPACE,
  punct: PUNCT,
  mark: MARK,
  ascii: ASCII,
  anyDigit: ANY_DIGIT,
}
/** The bits of the letters in `UNICODE_RUNS`. */
const RUN_BITS: Readonly<Record<string, number>> = {
  l: LOWER,
  u: UPPER,
  o: OTHER_LETTER,
  m: MARK,
  d: ANY_DIGIT,
  s: SPACE,
  c: PUNCT | CURRENCY,
  p: PUNCT,
}

const table = new Uint16Array(65_536)
/** The values of decimal digits other than 0-9, which form runs of ten. */
const digitValues = new Map<number, number>()

function fillTable(): void {
  let at = 0
  for (const [, name = '', length = ''] of UNICODE_RUNS.matchAll(/([a-z_])(\d*)/g)) {
    const end = at + Number(length || 1)
    table.fill(RUN_BITS[name] ?? 0, at, end)
    for (let unit = at; name === 'd' && unit < end; unit++) digitValues.set(unit, (unit - at) % 10)
    at = end
  }
  for (let unit = 0; unit < 128; unit++) table[unit] = (table[unit] ?? 0) | ASCII
  for (let unit = 48; unit <= 57; unit++) table[unit] = (table[unit] ?? 0) | DIGIT
}
fillTable()

/** The class bits of one UTF-16 code unit, by general category in the version of Unicode that the language names. */
export function classBits(unit: number): number {
  return table[unit] ?? 0
}

/** The value of a decimal digit of any script; undefined for other units. */
export function digitValue(unit: number): number | undefined {
  return digitValues.get(unit)
}

/** True for a sign of a currency. */
export function isCurrencySign(unit: number): boolean {
  return (classBits(unit) & CURRENCY) !== 0
}

/** True when the code unit is white space: Unicode White_Space or U+FEFF. */
export function isSpace(unit: number): boolean {
  return (classBits(unit) & SPACE) !== 0
}

/** A character set made ready for tests by class bits and by character. */
export interface CompiledCharSet {
  readonly bits: number
  readonly chars: ReadonlySet<number>
}

/** Prepares a character set. */
export function compileCharSet(set: CharSet): CompiledCharSet {
  let bits = 0
  for (const name of set.classes ?? []) bits |= CLASS_BITS[name]
  const chars = new Set<number>()
  for (const char of set.chars ?? '') chars.add(char.codePointAt(0) ?? 0)
  return { bits, chars }
}

/** Prepares a character set out of its JSON. */
export function charSetOf(value: Json): CompiledCharSet {
  const { classes = [], chars = '' } = isJsonObject(value) ? value : {}
  return compileCharSet({
    classes: CLASS_NAMES.filter((name) => Array.isArray(classes) && classes.includes(name)),
    chars: typeof chars === 'string' ? chars : '',
  })
}

/** White space, the set that is trimmed when a program names none. */
export const WHITE_SPACE: CompiledCharSet = { bits: SPACE, chars: new Set() }

/** True when the code point belongs to the set. Above U+FFFF only `chars` counts. */
export function inCharSet(set: CompiledCharSet, codePoint: number): boolean {
  if (codePoint < 65_536 && (classBits(codePoint) & set.bits) !== 0) return true
  return set.chars.size > 0 && set.chars.has(codePoint)
}
