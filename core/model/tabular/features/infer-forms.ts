import type { Json } from '../../../kernel/json/json.ts'
import { MODEL_BOUNDS } from '../recipe/tabular-recipe.ts'
import { isPartedName } from './code-names.ts'
import { hasShortYear, readIsoDate, readLocalDate, type DateOrder } from './read-dates.ts'
import { readLocalNumber, readNumber, type NumberForm } from './read-numbers.ts'

/** Share of the values of a column that must read as its kind; the others count as missing. */
const READABLE_SHARE = 0.9
/** Characters of a written number at most; longer texts are none. */
const MAX_WRITTEN = 64
const ORDERS: readonly DateOrder[] = ['dmy', 'mdy', 'ymd']
const SIGNS = '-+−'
const CURRENCY_SIGN = /^(?:\p{Lu}{0,2}\p{Sc}|\p{Sc}\p{Lu}{0,2})$/u
/** Codes of currencies that are written before an amount as well (ISO 4217), and shorter names of them. */
const CURRENCIES = new Set(
  'AUD BRL CAD CHF CNY CZK DKK EUR Euro Fr. GBP HUF INR JPY Kč kr kr. KRW MXN NOK NZD PLN RON SEK SGD TRY USD ZAR zł'.split(
    ' ',
  ),
)
/** Currencies whose countries write a point before the decimals. */
const POINTED = new Set(['$', 'US$', 'USD', '£', 'GBP'])
/** Years that dates with two digits of them lie in, from the first to the last. */
const SHORT_YEARS = 40
const MONTHS = 12
/** Different days that dates with two digits of the year have, where there are as many of them. */
const SHOWN_DAYS = 6

/** Returns true when nearly all values read. */
export function mostRead(values: readonly Json[], isRead: (value: Json) => boolean): boolean {
  return countRead(values, isRead) >= values.length * READABLE_SHARE
}

function countRead(values: readonly Json[], isRead: (value: Json) => boolean): number {
  return values.reduce<number>((sum, value) => sum + Number(isRead(value)), 0)
}

/**
 * The form in which nearly all values of a member write numbers: none for JSON numbers and their texts; undefined where they do
 * not. Its decimal mark is null where the values read with both: three digits behind a mark may be decimals or thousands.
 */
export function numberFormOf(values: readonly Json[], name: string): { readonly form?: NumberForm } | undefined {
  const plain = countRead(values, (value) => !Number.isNaN(readNumber(value)))
  const isPlain = plain >= values.length * READABLE_SHARE
  const affix = plain === values.length ? undefined : affixOf(values, name)
  // A few values of another form do not change how all others read.
  if (affix === undefined || (affix === '' && isPlain)) return isPlain ? {} : undefined
  const [best, other] = ([',', '.'] as const)
    .map((decimal) => {
      const numbers = values.map((value) => readLocalNumber(value, { decimal, affix }))
      return { decimal, numbers, read: numbers.filter((number) => !Number.isNaN(number)).length }
    })
    .toSorted((a, b) => b.read - a.read)
  if (best === undefined || best.read <= plain || best.read < values.length * READABLE_SHARE)
    return isPlain ? {} : undefined
  if (affix === '' && !areQuantities(values, best.numbers)) return undefined
  const decimal = best.read !== other?.read ? best.decimal : POINTED.has(affix) ? '.' : null
  return { form: { decimal, affix } }
}

/** Different texts without a currency or unit from which on they are quantities, though they repeat. */
const MANY_TEXTS = 50

/** True for texts of numbers that hardly repeat, none of which reads as another: `1,1` beside `1,10` are codes of two parts. */
function areQuantities(values: readonly Json[], numbers: readonly number[]): boolean {
  const textOf = new Map<number, Json>()
  for (const [at, number] of numbers.entries()) {
    const value = values[at] ?? null
    if (Number.isNaN(number)) continue
    const known = textOf.get(number)
    if (known !== undefined && known !== value) return false
    textOf.set(number, value)
  }
  return textOf.size >= MANY_TEXTS || textOf.size * 2 >= values.length
}

/**
 * The one text that stands before or after the numbers of a column; empty for none, undefined where there are several, or the
 * digits may be a code. A text that is no currency and no `%` must stand after nearly every number, and behind a space: `12a`
 * beside `14` is no number of a unit. Without such a text, a number must have a decimal mark or a sign of groups that is one.
 */
function affixOf(values: readonly Json[], name: string): string | undefined {
  const counts = new Map<string, number>()
  let numbers = 0
  let spaced = 0
  let hasMark = false
  for (const value of values) {
    const found = typeof value === 'string' ? partsOf(value) : undefined
    if (found === undefined) continue
    const { before, digits, after } = found
    numbers++
    hasMark ||= /[.,]/.test(digits)
    if (before !== '' && after !== '') return undefined
    if (before !== '' && !isCurrency(before)) continue
    const affix = before + after
    if (affix !== '') counts.set(affix, (counts.get(affix) ?? 0) + 1)
    if (found.isSpaced) spaced++
  }
  const [first, ...others] = [...counts].toSorted(([, a], [, b]) => b - a)
  if (first === undefined) return hasMark && !isPartedName(name) ? '' : undefined
  const [affix, count] = first
  if (others.length > 0 || affix.length > MODEL_BOUNDS.affixChars) return undefined
  if (isCurrency(affix) || affix === '%') return affix
  return Math.min(count, spaced) >= numbers * READABLE_SHARE && !isPartedName(name) ? affix : undefined
}

/** A written number and the texts beside it, which have no digit. */
interface WrittenNumber {
  readonly before: string
  /** From the first digit to the last. */
  readonly digits: string
  readonly after: string
  /** True where white space stands before `after`. */
  readonly isSpaced: boolean
}

function partsOf(value: string): WrittenNumber | undefined {
  if (value.length > MAX_WRITTEN) return undefined
  const text = value.trim()
  let first = 0
  while (first < text.length && !isDigit(text.charCodeAt(first))) first++
  if (first === text.length) return undefined
  let end = text.length
  while (!isDigit(text.charCodeAt(end - 1))) end--
  let before = text.slice(0, first)
  if (SIGNS.includes(before.charAt(0))) before = before.slice(1)
  before = before.trim()
  if (SIGNS.includes(before.charAt(before.length - 1))) before = before.slice(0, -1).trimEnd()
  const after = text.slice(end).trim()
  return { before, digits: text.slice(first, end), after, isSpaced: end + after.length < text.length }
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

function isCurrency(text: string): boolean {
  return CURRENCY_SIGN.test(text) || CURRENCIES.has(text)
}

/** The order in which nearly all values of a member write dates: none for ISO 8601; undefined where they are no dates. */
export function dateFormOf(values: readonly Json[], name: string): { readonly order?: DateOrder } | undefined {
  if (mostRead(values, (value) => readIsoDate(value) !== undefined)) return {}
  const orders = ORDERS.map((order) => ({
    order,
    read: countRead(values, (value) => readLocalDate(value, order) !== undefined),
  }))
  // Of equals the first: more countries write the day first.
  const [best] = orders.toSorted((a, b) => b.read - a.read)
  if (best === undefined || best.read < values.length * READABLE_SHARE) return undefined
  return areDates(values, best.order, name) ? { order: best.order } : undefined
}

/**
 * True unless years of two digits may be a part of a version: `10.4.12`. As dates, they lie in few years, and their days differ
 * and go past 12.
 */
function areDates(values: readonly Json[], order: DateOrder, name: string): boolean {
  const short = values.flatMap((value) => (typeof value === 'string' && hasShortYear(value) ? [value] : []))
  if (short.length === 0) return true
  if (isPartedName(name)) return false
  const years: number[] = []
  const days = new Set<number>()
  for (const value of short) {
    const date = readLocalDate(value, order)
    if (date === undefined) continue
    years.push(date.year)
    days.add(Number(value.trim().split(/[./-]/, 2)[order === 'mdy' ? 1 : 0]))
  }
  const span = years.reduce((a, b) => Math.max(a, b), -Infinity) - years.reduce((a, b) => Math.min(a, b), Infinity)
  const distinct = new Set(short).size
  return span <= SHORT_YEARS && [...days].some((day) => day > MONTHS) && days.size >= Math.min(SHOWN_DAYS, distinct / 2)
}
