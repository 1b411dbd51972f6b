import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'
import { type CharSet, CLASS_NAMES, type ClassName } from '../../names.ts'

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
const KNOWN = 256

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
}

// Unicode White_Space and the byte order mark.
const SPACES = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/

const table = new Uint16Array(65_536)

function classify(unit: number): number {
  const char = String.fromCharCode(unit)
  let bits = KNOWN
  if (unit < 128) bits |= ASCII
  if (unit >= 0xd800 && unit <= 0xdfff) return bits
  if (unit >= 48 && unit <= 57) bits |= DIGIT
  else if (/\p{Ll}/u.test(char)) bits |= LOWER
  else if (/\p{Lu}/u.test(char)) bits |= UPPER
  else if (/\p{L}/u.test(char)) bits |= OTHER_LETTER
  else if (/\p{M}/u.test(char)) bits |= MARK
  else if (SPACES.test(char)) bits |= SPACE
  else if (/[\p{P}\p{S}]/u.test(char)) bits |= PUNCT
  return bits
}

for (let unit = 0; unit < 256; unit++) table[unit] = classify(unit)

/** The class bits of one UTF-16 code unit, by Unicode general category. Classified once per unit. */
export function classBits(unit: number): number {
  const bits = table[unit] ?? 0
  if (bits !== 0) return bits
  const found = classify(unit)
  table[unit] = found
  return found
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
