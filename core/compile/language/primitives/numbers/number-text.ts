import type { GroupWidths, RoundMode, SignStyle } from '../../names.ts'
import { isCurrencySign, isSpace, WHITE_SPACE } from '../text/char-classes.ts'
import { trimText } from '../text/edit.ts'
import { plainDigits } from './decimal.ts'
import { exponentOf, roundDecimals, roundSignificant } from './rounding.ts'

/** Options of `parseNumber`; see the operator. */
export interface NumberReading {
  readonly decimal: string
  /** Empty: no grouping allowed. */
  readonly group: string
  readonly groups?: GroupWidths
  readonly currency: boolean
  readonly percent: boolean
  readonly parentheses: boolean
}

/** Options of `formatNumber`; see the operator. */
export interface NumberWriting {
  readonly minDecimals: number
  readonly maxDecimals: number | undefined
  readonly mode: RoundMode
  readonly decimal: string
  readonly group: string
  readonly groups?: GroupWidths
  /** Significant digits, in place of decimals. */
  readonly digits?: number
  readonly minDigits: number
  readonly sign: SignStyle
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57
}

function isCapital(unit: number): boolean {
  return unit >= 65 && unit <= 90
}

/** A number in a text; the window shrinks from both ends while signs are taken off. */
class NumberText {
  readonly #text: string
  #start = 0
  #end: number

  constructor(text: string) {
    this.#text = text
    this.#end = text.length
    this.skipSpace()
  }

  skipSpace(): void {
    while (this.#start < this.#end && isSpace(this.#text.charCodeAt(this.#start))) this.#start++
    while (this.#end > this.#start && isSpace(this.#text.charCodeAt(this.#end - 1))) this.#end--
  }

  takeParentheses(): boolean {
    if (this.#text.charAt(this.#start) !== '(' || this.#text.charAt(this.#end - 1) !== ')') return false
    if (this.#end - this.#start < 2) return false
    this.#start++
    this.#end--
    this.skipSpace()
    return true
  }

  takePercent(): boolean {
    if (this.#end === this.#start || this.#text.charAt(this.#end - 1) !== '%') return false
    this.#end--
    this.skipSpace()
    return true
  }

  /** -1, 1, or 0 when there is no sign. */
  takeSign(): number {
    const char = this.#start < this.#end ? this.#text.charAt(this.#start) : ''
    if (char !== '-' && char !== '\u2212' && char !== '+') return 0
    this.#start++
    this.skipSpace()
    return char === '+' ? 1 : -1
  }

  /** Takes `EUR`, `$` or `US$` off the front, or else off the back. */
  takeCurrency(): void {
    let start = this.#start
    while (start < this.#end && start - this.#start < 3 && isCapital(this.#text.charCodeAt(start))) start++
    if (start < this.#end && isCurrencySign(this.#text.charCodeAt(start))) start++
    if (start > this.#start) {
      this.#start = start
    } else {
      let end = this.#end
      if (end > this.#start && isCurrencySign(this.#text.charCodeAt(end - 1))) end--
      const letters = end
      while (end > this.#start && letters - end < 3 && isCapital(this.#text.charCodeAt(end - 1))) end--
      this.#end = end
    }
    this.skipSpace()
  }

  /** The digits that are left, in the form JavaScript reads; undefined when they are not a number. */
  readDigits(decimal: string, group: string, groups: GroupWidths): string | undefined {
    const text = this.#text
    const end = this.#end
    let at = this.#start
    let out = ''
    let groupStart = at
    // Groups before the last one may be narrower than it.
    const inner = groups === 'indian' ? 2 : 3
    let isGrouped = false
    for (;;) {
      while (at < end && isDigit(text.charCodeAt(at))) at++
      const width = at - groupStart
      const isLast = at >= end || !isGroup(text, at, group)
      if (isLast ? isGrouped && width !== 3 : isGrouped ? width !== inner : width < 1 || width > inner) {
        return undefined
      }
      out += text.slice(groupStart, at)
      if (isLast) break
      isGrouped = true
      at += group.length
      groupStart = at
    }
    const hasInteger = out !== ''
    if (at < end && text.startsWith(decimal, at)) {
      const fractionStart = at + decimal.length
      at = fractionStart
      while (at < end && isDigit(text.charCodeAt(at))) at++
      if (at === fractionStart) return undefined
      out = `${out === '' ? '0' : out}.${text.slice(fractionStart, at)}`
    } else if (!hasInteger) return undefined
    return at === end ? out : undefined
  }
}

/** Returns true when a group separator is at `at`. A space also matches the no-break spaces U+00A0 and U+202F. */
function isGroup(text: string, at: number, group: string): boolean {
  if (group === '') return false
  if (text.startsWith(group, at)) return true
  if (group !== ' ') return false
  const unit = text.charCodeAt(at)
  return unit === 0xa0 || unit === 0x202f
}

/**
 * Reads a number that fills the whole text but for white space at the ends; undefined when there is none. Order from
 * outside in: parentheses, sign, currency, sign, percent.
 */
export function parseNumberText(text: string, reading: NumberReading): number | undefined {
  const source = new NumberText(text)
  const isInParentheses = reading.parentheses && source.takeParentheses()
  let sign = source.takeSign()
  if (reading.currency) source.takeCurrency()
  if (sign === 0 && reading.currency) sign = source.takeSign()
  const isPercent = reading.percent && source.takePercent()
  const digits = source.readDigits(reading.decimal, reading.group, reading.groups ?? 'threes')
  if (digits === undefined || (isInParentheses && sign !== 0)) return undefined
  const value = Number(isPercent ? `${digits}e-2` : digits)
  if (!Number.isFinite(value)) return undefined
  return value === 0 ? 0 : isInParentheses || sign === -1 ? -value : value
}

function groupDigits(digits: string, group: string, groups: GroupWidths): string {
  if (group === '') return digits
  let out = digits.slice(-3)
  const width = groups === 'indian' ? 2 : 3
  for (let end = digits.length - 3; end > 0; end -= width)
    out = digits.slice(Math.max(0, end - width), end) + group + out
  return out
}

/** Decimals of a number with so many significant digits; of a number that the rounding makes a digit longer, one less. */
function decimalsFor(value: number, digits: number): number {
  return Math.max(0, digits - 1 - exponentOf(value))
}

/** Writes a finite number in plain digits; a number that rounds to zero has no minus sign. */
export function formatNumberText(value: number, writing: NumberWriting): string {
  const { digits: significant, mode, maxDecimals } = writing
  const rounded =
    significant !== undefined
      ? roundSignificant(value, significant, mode)
      : maxDecimals === undefined
        ? value
        : roundDecimals(value, maxDecimals, mode)
  const plain = plainDigits(Math.abs(rounded))
  const point = plain.indexOf('.')
  const integer = (point === -1 ? plain : plain.slice(0, point)).padStart(writing.minDigits, '0')
  const fraction = (point === -1 ? '' : plain.slice(point + 1)).padEnd(
    significant === undefined ? writing.minDecimals : decimalsFor(rounded, significant),
    '0',
  )
  const digits =
    groupDigits(integer, writing.group, writing.groups ?? 'threes') +
    (fraction === '' ? '' : writing.decimal + fraction)
  const isNegative = rounded < 0
  switch (writing.sign) {
    case 'negative':
      return isNegative ? `-${digits}` : digits
    case 'always':
      return (isNegative ? '-' : '+') + digits
    case 'never':
      return digits
    case 'parentheses':
      return isNegative ? `(${digits})` : digits
  }
}

const JSON_NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,4})?$/

/** A number in the usual programming form (`-1.5e3`), white space at the ends allowed; undefined for other texts. */
export function readPlainNumber(text: string): number | undefined {
  const trimmed = trimText(text, 'both', WHITE_SPACE)
  if (!JSON_NUMBER.test(trimmed)) return undefined
  const value = Number(trimmed)
  return Number.isFinite(value) ? (value === 0 ? 0 : value) : undefined
}
