import type { Expr } from '../../language/ast.ts'
import {
  DATE_NEEDS,
  type DateNeed,
  type DateOrder,
  type DateReading,
} from '../../language/primitives/dates/reading/options.ts'
import { DATE_LOCALES, type DateLocale } from '../../language/primitives/dates/reading/lexicon.ts'
import { localesOfText, type ReadDate, readDateText } from '../../language/primitives/dates/reading/read-date.ts'
import { shownOf } from '../search/unlabelled.ts'
import type { Budget } from '../search/budget.ts'
import { dateBy } from '../search/derived.ts'
import { Cost, costOf } from '../ranking/cost.ts'
import type { TextNode } from '../search/node.ts'
import type { DateNode } from './date-node.ts'
import { OTHER_PATTERNS } from './other-patterns.ts'

const MAX_TEXT = 60
const ORDERS = ['dmy', 'mdy', 'ymd'] as const
const ORDER_COST: Readonly<Record<DateOrder, Cost>> = {
  dmy: Cost.NONE,
  mdy: costOf('readDate.monthFirst'),
  ymd: costOf('readDate.yearFirst'),
  ydm: costOf('readDate.yearFirst'),
}
/** Two or three numbers, whose order may matter. */
const NUMBERS = /(?<!\d[-/.,_ ]{0,3})\d{1,2}([-/.,_ ])[-/.,_ ]{0,2}\d{1,2}(?!\d)(?!:)/
/** A number by itself, a range or fraction: no date, although it could be read as one. */
const PLAIN = /^\d{1,7}$|^\d{9,13}$|^\d{1,2}[-/]\d{1,2}$|^\d{1,2}\.\d{1,2}\.?$/
const EARLIEST_YEAR = 1700
const LATEST_YEAR = 2300

/** A piece of the inputs, of which the first ones have a target. */
type Piece = TextNode & { readonly shown: number }

/** The orders in which a program reads numbers. */
type NumberOrders = Pick<DateReading, 'order' | 'orders'>
/** Facts that a program passes to the reader, besides the parts that it needs. */
type Arguments = NumberOrders & { readonly locales?: readonly DateLocale[] }
type Reads = readonly (ReadDate | undefined)[]

/** Reads texts as dates, each text once for each order. */
export class DateReader {
  readonly #known = new Map<string, ReadDate | undefined>()

  read(text: string, options: DateReading, key: string): ReadDate | undefined {
    const name = `${key} ${text}`
    if (this.#known.has(name)) return this.#known.get(name)
    const found = readDateText(text, options)
    this.#known.set(name, found)
    return found
  }
}

/** Parts found in the texts: a day, a time, or both. */
function contentOf(reads: Reads): DateNode['has'] {
  const kinds = new Set(reads.flatMap((read) => (read === undefined ? [] : [read.has])))
  const [only] = kinds
  return kinds.size === 1 && only !== undefined ? only : 'both'
}

function isPlausible(text: string): boolean {
  return text.length <= MAX_TEXT && !PLAIN.test(text)
}

/** The parts that all texts which were read name; another text must name them too. */
function neededBy(reads: Reads): { needs?: readonly DateNeed[] } {
  const found = reads.filter((read) => read !== undefined)
  const needs = DATE_NEEDS.filter((part) => found.every(({ names }) => names.includes(part)))
  return needs.length === 0 ? {} : { needs }
}

function nodeOf(piece: Piece, options: Arguments, reads: Reads, cost: Cost): DateNode {
  const given = shownOf(reads, piece.shown)
  const needs = neededBy(given)
  const expr: Expr = { op: 'readDate', text: piece.expr, ...options, ...needs }
  const isRead = (read: ReadDate) => needs.needs?.every((part) => read.names.includes(part)) !== false
  const values = reads.map((read) => (read !== undefined && isRead(read) ? read.date : undefined))
  const has = contentOf(given)
  const isYearless = has !== 'time' && needs.needs?.includes('year') !== true
  return { expr, cost: piece.cost.plus(cost), values, has, ...(isYearless ? { isYearless } : {}) }
}

/** The first character of the separators between numbers in the texts. */
function separatorsOf(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => NUMBERS.exec(text)?.[1] ?? []))]
}

/** The same order for every separator, each of them named: a text in another order has no reading. */
function strictly(separators: readonly string[], order: DateOrder): NumberOrders {
  return { orders: separators.map((separator) => ({ separator, order })) }
}

/** The orders of numbers that the texts allow, with what each costs. */
function* orderReadings(
  texts: readonly string[],
  reader: DateReader,
): Generator<{ options: NumberOrders; cost: Cost }> {
  const separators = separatorsOf(texts)
  const fits = (separator: string, order: DateOrder): boolean =>
    texts.every((text) => {
      if (NUMBERS.exec(text)?.[1] !== separator) return true
      return reader.read(text, strictly([separator], order), `${separator}${order}`) !== undefined
    })
  const fitting = new Map(separators.map((separator) => [separator, ORDERS.filter((order) => fits(separator, order))]))
  for (const order of ORDERS) {
    const isFitting = separators.every((separator) => fitting.get(separator)?.includes(order) === true)
    // Binding for the separators that the rows show: a text in another order has no reading.
    const options = isFitting && separators.length > 0 ? { order, ...strictly(separators, order) } : { order }
    yield { options, cost: ORDER_COST[order].when(!isFitting, 'readDate.contradicted') }
  }
  if (separators.length < 2) return
  for (const general of ['dmy', 'mdy'] as const) {
    const other = general === 'dmy' ? 'mdy' : 'dmy'
    for (const separator of separators) {
      if (fitting.get(separator)?.includes(other) !== true) continue
      const cost = ORDER_COST[general].with('readDate.ownOrder')
      yield { options: { order: general, orders: [{ separator, order: other }] }, cost }
    }
  }
}

/** Readings of digits without separators; years far from today are numbers rather than dates. */
function* compactReadings(piece: Piece, reader: DateReader): Generator<DateNode> {
  const present = shownOf(piece.values, piece.shown).filter((value) => value !== undefined)
  const width = present[0]?.length ?? 0
  if ((width !== 6 && width !== 8 && width !== 14) || present.some((value) => value.length !== width)) return
  for (const order of ORDERS) {
    const options: NumberOrders = order === 'ymd' ? {} : { orders: [{ separator: '', order }] }
    const reads = piece.values.map((value) =>
      value === undefined ? undefined : reader.read(value, options, `compact${order}`),
    )
    const isEach = shownOf(reads, piece.shown).every((read, row) => {
      const year = read?.date.year ?? 0
      return piece.values[row] === undefined || (year >= EARLIEST_YEAR && year <= LATEST_YEAR)
    })
    const form = width === 6 ? 'readDate.shortCompact' : 'readDate.compact'
    if (isEach) yield nodeOf(piece, options, reads, ORDER_COST[order].with('readDate').with(form))
  }
}

/** A month and a year without a day, where `Mar` may also be a weekday of another language. */
const MONTH_OF_YEAR = /^\P{Nd}*\p{Nd}{4}\P{Nd}*$/u

/**
 * The locales that have the names of all texts, where these are not English or say a month without a day: the reading of
 * others is not tried.
 */
function localesOf({ values }: TextNode): readonly Arguments[] {
  const present = values.filter((value) => value !== undefined).filter(isPlausible)
  let shared: readonly DateLocale[] = DATE_LOCALES
  for (const value of new Set(present)) {
    const own = localesOfText(value)
    // A text that is not a date at all.
    if (own.length > 0) shared = shared.filter((locale) => own.includes(locale))
  }
  const isAny = shared.length === 0 || shared.length === DATE_LOCALES.length
  const isPlain = shared.includes('en') && !present.every((value) => MONTH_OF_YEAR.test(value))
  return isAny || isPlain ? [{}] : [{ locales: shared }, {}]
}

/** Readings of texts without numbers, which must all be names of months or weekdays. */
function* nameReadings(piece: Piece, reader: DateReader): Generator<DateNode> {
  for (const [rank, options] of localesOf(piece).entries()) {
    const reads = piece.values.map((value) =>
      value === undefined || value.length < 3 ? undefined : reader.read(value, options, JSON.stringify(options)),
    )
    const cost = costOf('readDate')
      .with('readDate.name')
      .when(rank > 0, 'readDate.anyLocale')
    if (shownOf(reads, piece.shown).every((read, row) => read !== undefined || piece.values[row] === undefined))
      yield nodeOf(piece, options, reads, cost)
  }
}

function* patternReadings(piece: TextNode): Generator<DateNode> {
  for (const { has, read } of OTHER_PATTERNS) {
    const node = read(piece, piece.cost.with('readDate.pattern'))
    if (node.values.every((date, row) => date === undefined && piece.values[row] !== undefined)) continue
    yield { ...node, has }
  }
}

function* numberReadings(piece: Piece, reader: DateReader): Generator<DateNode> {
  const hasWords = piece.values.some((value) => /\p{L}{3}/u.test(value ?? ''))
  const numeric = piece.values
    .filter((value) => value !== undefined)
    .filter((value) => isPlausible(value) && NUMBERS.test(value))
  for (const [rank, locales] of (hasWords ? localesOf(piece) : [{}]).entries()) {
    const readWith = (options: Arguments): Reads => {
      const key = JSON.stringify(options)
      return piece.values.map((value) =>
        value === undefined || !isPlausible(value) ? undefined : reader.read(value, options, key),
      )
    }
    const base = costOf('readDate')
      .when(hasWords, 'readDate.words')
      .when(rank > 0, 'readDate.anyLocale')
    for (const { options, cost } of numeric.length === 0
      ? unorderedReadings(shownOf(readWith(locales), piece.shown))
      : orderReadings(numeric, reader)) {
      const own: Arguments = { ...options, ...locales }
      const reads = readWith(own)
      if (shownOf(reads, piece.shown).some((read) => read !== undefined))
        yield nodeOf(piece, own, reads, base.plus(cost))
    }
  }
}

/** A day in another form than the rows show is read day first, and the program says so. */
function unorderedReadings(reads: Reads): { options: NumberOrders; cost: Cost }[] {
  return [{ options: contentOf(reads) === 'time' ? {} : { order: 'dmy' }, cost: Cost.NONE }]
}

const IN_UTC = dateBy((date) => ({ op: 'atOffset', date, offsetMinutes: 0 }))

function* inUtc(node: DateNode): Generator<DateNode> {
  yield node
  if (!node.values.some((date) => date?.offsetMinutes !== undefined && date.offsetMinutes !== 0)) return
  yield { ...node, ...IN_UTC(node, node.cost.with('readDate.utc')) }
}

/** The dates that one piece of the inputs can be read as, in the orders that its numbers allow. */
export function* readPiece(node: TextNode, shown: number, reader: DateReader, budget: Budget): Generator<DateNode> {
  budget.spend(4)
  const piece: Piece = { ...node, shown }
  const present = shownOf(piece.values, shown).filter((value) => value !== undefined)
  const isDigits = present.every((value) => /^\d+$/.test(value))
  const hasDigits = present.some((value) => /\p{Nd}/u.test(value))
  const found = isDigits
    ? compactReadings(piece, reader)
    : hasDigits
      ? numberReadings(piece, reader)
      : nameReadings(piece, reader)
  for (const node of found) yield* inUtc(node)
  yield* patternReadings(node)
}
