import type { CivilDate } from '../civil-date.ts'
import { TokenReader, type Item } from './cursor.ts'
import { daysAt, monthsAt, nameFields } from './days.ts'
import { contentOf, type DateContent, type DateFields, dateOfFields, namedParts } from './fields.ts'
import { foldDateText } from './fold.ts'
import { type DateLocale, localeBits, localesOfBits } from './lexicon.ts'
import type { DateNeed, DateReading } from './options.ts'
import { compactTime, timesAt } from './times.ts'
import { MAX_DATE_TEXT, readTokens } from './tokens.ts'

/** A date, and the parts of it that its text names. */
export interface ReadDate {
  readonly date: CivilDate
  readonly has: DateContent
  readonly names: readonly DateNeed[]
}

/** Most places that one text is tried at. */
const MAX_STEPS = 2000
const BUDDHIST_YEARS = 543
const THAI_YEARS = 2400
const FLAGS: ReadonlySet<string> = new Set(['isThai', 'isDotted', 'isShortYear', 'isBuddhist', 'isMarkedYear'])
/** The name of a zone in brackets, as JavaScript writes it after an offset. */
const ZONE_NAME = /(?<=[+-]\d\d:?\d\d) \([^()]*\)$/

/** Adds parts to others; undefined where both name one. */
function merge(fields: DateFields, more: DateFields): DateFields | undefined {
  for (const name of Object.keys(more)) if (Object.hasOwn(fields, name) && !FLAGS.has(name)) return undefined
  return { ...fields, ...more }
}

/** A number behind the sign of a week or a quarter. */
function countedAt(reader: TokenReader, at: number, kind: 'week' | 'quarter'): Item[] {
  const place = kind === 'week' ? reader.afterSpace(at + 1) : at + 1
  const part = reader.numberAt(place)
  if (part === undefined) return []
  if (kind === 'quarter')
    return part.value >= 1 && part.value <= 4 && part.digits.length === 1
      ? [{ next: place + 1, fields: { quarter: part.value } }]
      : []
  if (part.digits.length === 3) {
    const weekday = part.value % 10
    return weekday >= 1 && weekday <= 7
      ? [{ next: place + 1, fields: { week: Math.floor(part.value / 10), weekday } }]
      : []
  }
  if (part.digits.length > 2) return []
  const day = reader.isTight(place + 1, '-') ? reader.numberAt(place + 2) : undefined
  const isDay = day !== undefined && day.digits.length === 1 && day.value >= 1 && day.value <= 7
  const whole: Item = { next: place + 1, fields: { week: part.value } }
  return isDay ? [{ next: place + 3, fields: { week: part.value, weekday: day.value } }] : [whole]
}

/** A half of the day at the end is no word: `am` stands before a day in German. */
function isLastHalf(reader: TokenReader, at: number): boolean {
  return reader.meaningAt(at, 'half') !== undefined && reader.afterWords(at) >= reader.tokens.length
}

/** Everything that can start at a name. */
function namesAt(reader: TokenReader, at: number): Item[] {
  return reader.meaningsAt(at).flatMap((meaning): Item[] => {
    switch (meaning.kind) {
      case 'month':
        return monthsAt(reader, at, nameFields('month', meaning.value, meaning.locales, reader))
      case 'weekday':
        return [{ next: at + 1, fields: nameFields('weekday', meaning.value, meaning.locales, reader) }]
      case 'half':
        return timesAt(reader, at)
      case 'word':
        return isLastHalf(reader, at) ? [] : [{ next: at + 1, fields: {} }]
      case 'T':
        return [...timesAt(reader, at + 1), ...compactTime(reader, at + 1)]
      case 'week':
      case 'quarter':
        return countedAt(reader, at, meaning.kind)
      case 'buddhist':
        return [{ next: at + 1, fields: { isBuddhist: true } }]
      case 'ordinal':
      case 'unit':
      case 'UTC':
        return []
    }
  })
}

function itemsAt(reader: TokenReader, at: number): Item[] {
  const token = reader.tokens[at]
  if (token === undefined) return []
  if (token.kind === 'separator') return [{ next: at + 1, fields: {} }]
  if (token.kind === 'name') return namesAt(reader, at)
  const isAfterCompactDay = reader.numberAt(at - 2)?.digits.length === 8
  return [...daysAt(reader, at), ...timesAt(reader, at), ...(isAfterCompactDay ? compactTime(reader, at) : [])]
}

/** The year of the Gregorian calendar. */
function inGregorian(fields: DateFields, { calendar }: DateReading): DateFields | undefined {
  const { year, isBuddhist = calendar === 'buddhist', isThai = false, isShortYear = false } = fields
  if (year === undefined) return fields
  if (isThai && isShortYear && calendar === undefined) return undefined
  const isMoved = isBuddhist || (isThai && year > THAI_YEARS && calendar === undefined)
  return isMoved ? { ...fields, year: year - BUDDHIST_YEARS } : fields
}

/** Collects the readings of a text; stops when there are two different ones. */
class Readings {
  readonly #reader: TokenReader
  #steps = 0
  #found: ReadDate | undefined
  #isAmbiguous = false

  constructor(reader: TokenReader) {
    this.#reader = reader
  }

  /** The one date that all readings give. */
  read(): ReadDate | undefined {
    this.#from(0, {})
    return this.#isAmbiguous ? undefined : this.#found
  }

  #from(at: number, fields: DateFields): void {
    if (this.#isAmbiguous) return
    if (++this.#steps > MAX_STEPS) {
      this.#isAmbiguous = true
      return
    }
    if (at >= this.#reader.tokens.length) {
      this.#accept(fields)
      return
    }
    for (const { next, fields: more } of itemsAt(this.#reader, at)) {
      const merged = merge(fields, more)
      if (merged !== undefined) this.#from(next, merged)
    }
  }

  #accept(named: DateFields): void {
    const fields = inGregorian(named, this.#reader.options)
    const has = fields === undefined ? undefined : contentOf(fields)
    const date = fields === undefined || has === undefined ? undefined : dateOfFields(fields)
    if (fields === undefined || date === undefined || has === undefined) return
    if (this.#found === undefined) this.#found = { date, has, names: namedParts(fields) }
    else if (!sameDate(this.#found.date, date)) this.#isAmbiguous = true
  }
}

function sameDate(a: CivilDate, b: CivilDate): boolean {
  return (
    a.year === b.year &&
    a.month === b.month &&
    a.day === b.day &&
    a.hour === b.hour &&
    a.minute === b.minute &&
    a.second === b.second &&
    a.millisecond === b.millisecond &&
    a.offsetMinutes === b.offsetMinutes
  )
}

/** The locales that have all names of a text; all of them for a text without names, none for another word. */
export function localesOfText(text: string): readonly DateLocale[] {
  if (text.length > MAX_DATE_TEXT) return []
  const tokens = readTokens(foldDateText(text).trim().replace(ZONE_NAME, ''), localeBits(undefined))
  if (tokens === undefined) return []
  const bits = tokens.map((token) =>
    token.kind === 'name' ? token.meanings.reduce((any, { locales }) => any | locales, 0) : -1,
  )
  return localesOfBits(bits.reduce((all, own) => all & own, -1))
}

/**
 * Reads a date or time in any form of the published grammar. Undefined when the text has no reading, or readings that
 * differ. Texts of more than 100 units have none.
 */
export function readDateText(text: string, options: DateReading = {}): ReadDate | undefined {
  if (text.length > MAX_DATE_TEXT) return undefined
  const folded = foldDateText(text).trim().replace(ZONE_NAME, '')
  const tokens = readTokens(folded, localeBits(options.locales))
  if (tokens === undefined || tokens.length === 0) return undefined
  const found = new Readings(new TokenReader(tokens, options)).read()
  return options.needs?.every((part) => found?.names.includes(part)) === false ? undefined : found
}
