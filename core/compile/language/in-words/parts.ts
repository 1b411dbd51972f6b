import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import type { ClassName, TokenName } from '../names.ts'

/** Longest constant that is written in full. */
const MAX_LITERAL = 60

const TOKENS: Readonly<Record<TokenName, string>> = {
  digits: 'run of digits',
  lower: 'run of lower-case letters',
  upper: 'run of capital letters',
  alpha: 'run of letters',
  alnum: 'run of letters and digits',
  space: 'run of spaces',
  word: 'word',
  proper: 'capitalised word',
  number: 'number',
  nonspace: 'run of characters other than spaces',
  punct: 'run of punctuation',
  line: 'line',
  start: 'start',
  end: 'end',
  anyDigits: 'run of digits of any script',
}

const CLASSES: Readonly<Record<ClassName, string>> = {
  digit: 'digits',
  lower: 'lower-case letters',
  upper: 'capital letters',
  alpha: 'letters',
  alnum: 'letters and digits',
  space: 'spaces',
  punct: 'punctuation',
  mark: 'accents',
  ascii: 'ASCII characters',
  anyDigit: 'digits of any script',
}

/** Texts that cannot be seen in quotation marks. */
const BLANKS: ReadonlyMap<string, string> = new Map([
  [' ', 'space'],
  ['\t', 'tab'],
  ['\n', 'line break'],
])

const TOKEN_WORDS: ReadonlyMap<string, string> = new Map(Object.entries(TOKENS))
const CLASS_WORDS: ReadonlyMap<string, string> = new Map(Object.entries(CLASSES))

/** Returns a constant as JSON, cut when it is long. */
export function literalWords(value: Json | undefined): string {
  const text = JSON.stringify(value ?? null)
  return text.length <= MAX_LITERAL ? text : `${text.slice(0, MAX_LITERAL)}…`
}

/** Returns a text as it is, and another constant as JSON. */
export function plainWords(value: Json | undefined): string {
  return typeof value === 'string' ? value : literalWords(value)
}

/** Returns a name as it is, or in quotes where it is not one word. */
export function nameWords(name: Json | undefined): string {
  return typeof name === 'string' && /^[\p{L}_][\p{L}\d_-]*$/u.test(name) ? name : literalWords(name)
}

/** Returns a name of several words as words: `halfUp` is "half up". */
export function choiceWords(value: Json | undefined): string {
  return typeof value === 'string' ? value.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase() : literalWords(value)
}

const ORDINALS = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
] as const

/** Returns a count from the start, from 1, or from the end, from -1, as an ordinal: "first", "12th", "last", "second-to-last". */
export function ordinalWords(value: Json | undefined): string {
  const place = Number(value)
  if (place === -1) return 'last'
  const size = Math.abs(place)
  const teen = size % 100 >= 11 && size % 100 <= 13
  const end = teen ? 'th' : (['th', 'st', 'nd', 'rd'][size % 10] ?? 'th')
  return `${ORDINALS[size - 1] ?? `${size}${end}`}${place < 0 ? '-to-last' : ''}`
}

/** Returns a set of characters in words. */
export function charSetWords(set: Json | undefined): string {
  if (!isJsonObject(set)) return 'spaces'
  const classes = Array.isArray(set.classes)
    ? set.classes.map((name) => CLASS_WORDS.get(plainWords(name)) ?? plainWords(name))
    : []
  const chars = typeof set.chars === 'string' && set.chars !== '' ? [`the characters ${literalWords(set.chars)}`] : []
  return [...classes, ...chars].join(' and ')
}

/** Writes expressions and their parts. */
interface PartWriter {
  readonly expression: (node: Json | undefined) => string
}

/** Returns a pattern in words; `hasArticle` puts "a" before a named token. */
export function patternWords(pattern: Json | undefined, write: PartWriter, hasArticle = false): string {
  if (!isJsonObject(pattern)) return literalWords(pattern)
  switch (pattern.kind) {
    case 'token': {
      const noun = TOKEN_WORDS.get(plainWords(pattern.name)) ?? plainWords(pattern.name)
      return hasArticle ? `a ${noun}` : noun
    }
    case 'literal': {
      const noun = BLANKS.get(plainWords(pattern.text))
      if (noun === undefined) return literalWords(pattern.text)
      return hasArticle ? `a ${noun}` : noun
    }
    case 'text':
      return write.expression(pattern.text)
    default: {
      const regex = `match of /${plainWords(pattern.regex)}/${pattern.ignoreCase === true ? 'i' : ''}`
      return hasArticle ? `a ${regex}` : regex
    }
  }
}

/** Returns a position in a text in words. */
export function positionWords(pos: Json | undefined, write: PartWriter): string {
  if (!isJsonObject(pos)) return literalWords(pos)
  const match = (): string => `the ${ordinalWords(pos.occurrence)} ${patternWords(pos.pattern, write)}`
  const side = pos.edge === 'start' ? 'before' : 'after'
  switch (pos.op) {
    case 'absPos':
      return absoluteWords(pos)
    case 'matchPos':
      return `${side} ${match()}`
    case 'betweenPos':
      return `the ${ordinalWords(pos.occurrence)} place between ${patternWords(pos.left, write)} and ${patternWords(pos.right, write)}`
    case 'seekPos':
      return `${side} ${match()} ${seekWords(pos, write)}`
    case 'shiftPos': {
      const by = Number(pos.by)
      return `${characters(Math.abs(by))} ${by < 0 ? 'before' : 'after'} the place ${positionWords(pos.base, write)}`
    }
    default:
      return `position ${write.expression(pos.value)}`
  }
}

/** Says from where a match is counted. A base after a match reads as one phrase: 'after the first ","'. */
function seekWords({ base, occurrence }: JsonObject, write: PartWriter): string {
  const from = positionWords(base, write)
  if (Number(occurrence) < 0) return `ahead of (${from})`
  return isJsonObject(base) && base.op === 'matchPos' && base.edge !== 'start' ? from : `past (${from})`
}

function absoluteWords({ from, offset }: JsonObject): string {
  if (offset === 0) return from === 'start' ? 'the start' : 'the end'
  return from === 'start' ? `after ${characters(Number(offset))}` : `${characters(Number(offset))} before the end`
}

/** Returns a number of characters with its noun. */
export function characters(count: number): string {
  return `${count} character${count === 1 ? '' : 's'}`
}
