import type { RoundMode, SignStyle } from '../../names.ts'
import { isSpace, WHITE_SPACE } from '../text/char-classes.ts'
import { trimText } from '../text/edit.ts'
import { plainDigits } from './decimal.ts'
import { roundDecimals } from './rounding.ts'

/** Options of `parseNumber`; see the operator. */
export interface NumberReading {
  readonly decimal: string
  /** Empty: no grouping allowed. */
  readonly group: string
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
  readonly minDigits: number
  readonly sign: SignStyle
}

const CURRENCY_SIGN = /^\p{Sc}$/u

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
    if (start < this.#end && CURRENCY_SIGN.test(this.#text.charAt(start))) start++
    if (start > this.#start) {
      this.#start = start
    } else {
      let end = this.#end
      if (end > this.#start && CURRENCY_SIGN.test(this.#text.charAt(end - 1))) end--
      const letters = end
      while (end > this.#start && letters - end < 3 && isCapital(this.#text.charCodeAt(end - 1))) end--
      this.#end = end
    }
    this.skipSpace()
  }

  /** The digits that are left, in the form JavaScript reads; undefined when they are no number. */
  readDigits(decimal: string, group: string): string | undefined {
    const text = this.#text
    const end = this.#end
    let at = this.#start
    let out = ''
    let groupStart = at
    let groups = 0
    for (;;) {
      while (at < end && isDigit(text.charCodeAt(at))) at++
      const width = at - groupStart
      if (groups > 0 ? width !== 3 : groups === 0 && at < end && isGroup(text, at, group) && (width < 1 || width > 3)) {
        return undefined
      }
      out += text.slice(groupStart, at)
      if (at >= end || !isGroup(text, at, group)) break
      groups++
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
  const digits = source.readDigits(reading.decimal, reading.group)
  if (digits === undefined || (isInParentheses && sign !== 0)) return undefined
  const value = Number(isPercent ? `${digits}e-2` : digits)
  if (!Number.isFinite(value)) return undefined
  return value === 0 ? 0 : isInParentheses || sign === -1 ? -value : value
}

function groupDigits(digits: string, group: string): string {
  if (group === '' || digits.length <= 3) return digits
  let at = digits.length % 3
  let out = digits.slice(0, at)
  for (; at < digits.length; at += 3) out += (out === '' ? '' : group) + digits.slice(at, at + 3)
  return out
}

/** Writes a finite number in plain digits; a number that rounds to zero has no minus sign. */
export function formatNumberText(value: number, writing: NumberWriting): string {
  const rounded = writing.maxDecimals === undefined ? value : roundDecimals(value, writing.maxDecimals, writing.mode)
  const plain = plainDigits(Math.abs(rounded))
  const point = plain.indexOf('.')
  const integer = (point === -1 ? plain : plain.slice(0, point)).padStart(writing.minDigits, '0')
  const fraction = (point === -1 ? '' : plain.slice(point + 1)).padEnd(writing.minDecimals, '0')
  const digits = groupDigits(integer, writing.group) + (fraction === '' ? '' : writing.decimal + fraction)
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
