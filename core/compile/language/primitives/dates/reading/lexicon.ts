import { DATE_NAMES, type LocaleNames } from './date-names.ts'

/** A locale whose names of months, weekdays and halves of the day are known. */
export type DateLocale = keyof typeof DATE_NAMES

function isLocale(name: string): name is DateLocale {
  return Object.hasOwn(DATE_NAMES, name)
}

/** The locales whose names can be read. */
export const DATE_LOCALES: readonly DateLocale[] = Object.keys(DATE_NAMES).filter(isLocale)

/** The parts of a date and time, in the order of their unit marks. */
export const UNITS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
export type Unit = (typeof UNITS)[number]

/** One meaning of a word in a date. `locales` has a bit for each locale in which the word has it. */
export type Meaning = { readonly locales: number } & (
  | { readonly kind: 'month' | 'weekday'; readonly value: number }
  | { readonly kind: 'half'; readonly isAfternoon: boolean }
  | { readonly kind: 'word' | 'ordinal' | 'T' | 'UTC' | 'week' | 'quarter' | 'buddhist' }
  | { readonly kind: 'unit'; readonly unit: Unit }
)

const ALL = -1
/** Marks that stand directly behind the number of a unit. */
const UNIT_MARKS: Readonly<Record<Unit, string>> = {
  year: '年 년',
  month: '月 월',
  day: '日 号 號 일',
  hour: 'h 時 时 点 點 시',
  minute: 'min m 分 분',
  second: 's sec 秒 초',
}
const SIGNS = {
  ordinal: 'st nd rd th er re e o a',
  T: 't',
  UTC: 'z utc gmt',
  week: 'w kw wk week',
  quarter: 'q',
  buddhist: 'พ.ศ พศ be',
} as const

const meanings = new Map<string, Meaning[]>()
/** Lengths of the names that start with a character, longest first. */
const lengths = new Map<string, number[]>()

function add(name: string, meaning: Meaning): void {
  const known = meanings.get(name)
  const alike = known?.findIndex((one) => sameMeaning(one, meaning)) ?? -1
  const merged = known?.[alike]
  if (known === undefined) meanings.set(name, [meaning])
  else if (merged === undefined) known.push(meaning)
  else known[alike] = { ...merged, locales: merged.locales | meaning.locales }
  const first = name.charAt(0)
  const of = lengths.get(first) ?? []
  if (!of.includes(name.length))
    lengths.set(
      first,
      [...of, name.length].toSorted((a, b) => b - a),
    )
}

function sameMeaning(a: Meaning, b: Meaning): boolean {
  return JSON.stringify({ ...a, locales: 0 }) === JSON.stringify({ ...b, locales: 0 })
}

function addLocale({ months, weekdays, am, pm, words }: LocaleNames, locales: number): void {
  for (const [kind, lists] of [
    ['month', months],
    ['weekday', weekdays],
  ] as const)
    for (const [at, names] of lists.split('|').entries())
      for (const name of names.split(',')) if (name !== '') add(name, { kind, value: at + 1, locales })
  for (const name of am.split(',')) add(name, { kind: 'half', isAfternoon: false, locales })
  for (const name of pm.split(',')) add(name, { kind: 'half', isAfternoon: true, locales })
  for (const name of words.split(',')) if (name !== '') add(name, { kind: 'word', locales })
}

function addSigns(): void {
  for (const kind of ['ordinal', 'T', 'UTC', 'week', 'quarter', 'buddhist'] as const)
    for (const name of SIGNS[kind].split(' ')) add(name, { kind, locales: ALL })
  for (const unit of UNITS)
    for (const name of UNIT_MARKS[unit].split(' ')) add(name, { kind: 'unit', unit, locales: ALL })
}

DATE_LOCALES.forEach((locale, at) => addLocale(DATE_NAMES[locale], 1 << at))
addSigns()

/** Returns the bits of the locales; of all without any. */
export function localeBits(locales: readonly string[] | undefined): number {
  if (locales === undefined || locales.length === 0) return ALL
  return DATE_LOCALES.reduce((bits, locale, at) => (locales.includes(locale) ? bits | (1 << at) : bits), 0)
}

/** The locales of bits. */
export function localesOfBits(bits: number): readonly DateLocale[] {
  return DATE_LOCALES.filter((_, at) => (bits & (1 << at)) !== 0)
}

const WRITTEN_WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Thai}]/u
const LETTER = /[\p{L}\p{M}]/u
const DIGIT = /[0-9]/

/** A name of the lexicon at a place of a text. */
export interface NameMatch {
  readonly end: number
  readonly meanings: readonly Meaning[]
}

/** True when a name may end at `end`: before a letter only in scripts that are written without spaces. */
function isBoundary(text: string, end: number): boolean {
  const next = text.charAt(end)
  if (next === '') return true
  const last = text.charAt(end - 1)
  if (DIGIT.test(last)) return !DIGIT.test(next)
  return !LETTER.test(next) || WRITTEN_WITHOUT_SPACES.test(last)
}

/** Returns the longest name that starts at a place and has a meaning in one of the locales. */
export function nameAt(text: string, start: number, locales: number): NameMatch | undefined {
  for (const length of lengths.get(text.charAt(start)) ?? []) {
    const end = start + length
    const known = end > text.length ? undefined : meanings.get(text.slice(start, end))
    if (known === undefined || !isBoundary(text, end)) continue
    const meant = known.filter((meaning) => (meaning.locales & locales) !== 0)
    if (meant.length > 0) return { end, meanings: meant }
  }
  return undefined
}
