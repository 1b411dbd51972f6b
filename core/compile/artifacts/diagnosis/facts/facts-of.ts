import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'
import { UNITS } from '../../../language/primitives/numbers/units.ts'
import { shapeOf } from '../../../stages/verifier/text-shape.ts'
import { languageOf, scriptOf } from './language.ts'

/** A fact of a value: a category, a number, or true for a fact that holds. */
export type FactValue = string | number | true

/** The sides of a row that facts are of. */
export type Side = 'input' | 'expected' | 'row'

/** Names of facts; `word` and `value` carry their text in the fact's value. */
export type FactName =
  | 'type'
  | 'present'
  | 'value'
  | 'number'
  | 'length'
  | 'words'
  | 'sentences'
  | 'items'
  | 'numbers'
  | 'script'
  | 'language'
  | 'shape'
  | 'unit'
  | 'case'
  | 'ending'
  | 'empty'
  | 'has'
  | 'word'
  | 'unlike'

/** The subject of a fact: a side, the place in it as an RFC 6901 pointer, a name; `of` distinguishes several of one name. */
export interface FactKey {
  readonly side: Side
  readonly path: string
  readonly name: FactName
  readonly of?: string
}

/** Notes one fact of a row. */
export type Note = (key: FactKey, value: FactValue) => void

const MOST_DEPTH = 3
const MOST_MEMBERS = 48
/** Characters of a text that counts as one value, and of one whose shape is looked at. */
const VALUE_CHARS = 48
const SHAPE_CHARS = 40
const MOST_SHAPE_CHARS = 60
const MOST_WORDS = 120
const TEXT_CHARS = 16_384

/** Spellings of units, each with the first unit that has it. */
const UNIT_NAMES = new Map(
  Object.entries(UNITS)
    .toReversed()
    .flatMap(([name, { symbols }]) => symbols.map((symbol) => [symbol, name.replace(/1024$/, '')] as const)),
)
const MEASURED = /\d[ \u00a0]?([a-zA-Zµμ°'"′″%€$£¥²³]{1,12})(?![a-zA-Z])/gu
const CURRENCIES = /([€$£¥])\s?\d|\d\s?([€$£¥])|\b(USD|EUR|GBP|JPY|CHF)\b/u

/** Looked for from the first mark of a run only: from each of them, a run of n marks would take n² steps. */
const SENTENCE_END = /(?<![.!?。？！])[.!?。？！]+(?![.!?。？！])(?=\s|$)/u

const CONTENTS: readonly (readonly [string, RegExp])[] = [
  ['digits', /\d/],
  ['a link', /https?:\/\//i],
  ['an e-mail address', /[\w.+-]@[\w-]+\.\w/],
  ['several lines', /\n[^\S\n]*\S/],
  ['brackets', /[([{]/],
  ['quotation marks', /["“”„«»]/],
  ['a percent sign', /%/],
  ['an emoji', /\p{Extended_Pictographic}/u],
  ['a date', /\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b/],
]

/** Notes the facts of a value. Facts are of what a person sees: type, length, form, language, units, numbers, words. */
export function noteFacts(side: Side, value: Json, note: Note): void {
  visit({ side, path: '', depth: 0 }, value, note)
}

interface Place {
  readonly side: Side
  readonly path: string
  readonly depth: number
}

function visit(place: Place, value: Json, note: Note): void {
  const { side, path, depth } = place
  const say = (name: FactName, fact: FactValue, of?: string): void =>
    note({ side, path, name, ...(of === undefined ? {} : { of }) }, fact)
  if (path !== '') say('present', true)
  say('type', typeOf(value))
  if (typeof value === 'string') return textFacts(value, place, note)
  if (typeof value === 'number') {
    say('number', value)
    say('value', String(value))
  } else if (typeof value === 'boolean') {
    say('value', String(value))
  } else if (Array.isArray(value)) {
    say('items', (value as readonly Json[]).length)
  } else if (isJsonObject(value) && depth < MOST_DEPTH) {
    for (const [name, member] of Object.entries(value).slice(0, MOST_MEMBERS)) {
      visit(
        { side, path: `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth: depth + 1 },
        member,
        note,
      )
    }
  }
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'string' ? 'text' : typeof value
}

function textFacts(whole: string, { side, path }: Place, note: Note): void {
  const say = (name: FactName, fact: FactValue, of?: string): void =>
    note({ side, path, name, ...(of === undefined ? {} : { of }) }, fact)
  const text = whole.slice(0, TEXT_CHARS)
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []
  say('length', whole.length)
  say('words', words.length)
  say('sentences', text.split(SENTENCE_END).filter((part) => /\p{L}/u.test(part)).length)
  if (text.trim() === '') say('empty', true)
  if (text.length <= VALUE_CHARS) say('value', text)
  if (side === 'expected' && path === '' && text.length <= VALUE_CHARS) return
  if (text.length <= SHAPE_CHARS) {
    const shape = shapeOf(text.trim(), 'loose')
    if (shape.length <= MOST_SHAPE_CHARS) say('shape', shape)
  }
  const script = scriptOf(text)
  if (script !== null) say('script', script)
  const language = script === 'Latin' ? languageOf(words) : null
  if (language !== null) say('language', language)
  numberFacts(text, say)
  for (const [name, pattern] of CONTENTS) if (pattern.test(text)) say('has', true, name)
  const ending = /[?!.…:]\s*$/u.exec(text)?.[0].trim()
  if (ending !== undefined) say('ending', ending)
  if (words.length > 0 && script !== null) {
    if (text === text.toUpperCase() && text !== text.toLowerCase()) say('case', 'upper')
    else if (text === text.toLowerCase() && text !== text.toUpperCase()) say('case', 'lower')
  }
  for (const word of new Set(words.filter((one) => one.length >= 2).slice(0, MOST_WORDS))) say('word', true, word)
}

function numberFacts(text: string, say: (name: FactName, fact: FactValue, of?: string) => void): void {
  const numbers = text.match(/-?\d+(?:[.,]\d+)*/g) ?? []
  say('numbers', numbers.length)
  const [first] = numbers
  const value = first === undefined ? Number.NaN : Number(first.replaceAll(',', ''))
  if (Number.isFinite(value)) say('number', value)
  for (const [, symbol = ''] of text.matchAll(MEASURED)) {
    const unit = UNIT_NAMES.get(symbol)
    if (unit !== undefined) say('unit', true, unit)
  }
  const currency = CURRENCIES.exec(text)
  if (currency !== null) say('unit', true, currency[1] ?? currency[2] ?? currency[3] ?? '')
}
