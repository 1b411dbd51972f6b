import type { Pos } from '../../language/ast.ts'
import { literalPattern, matchPos, slice } from '../search/build.ts'
import { isRegexOfLanguage } from '../search/candidate-program.ts'
import type { TextNode } from '../search/node.ts'
import { textBy } from '../search/derived.ts'
import { nodeOf, type TextSource } from './source.ts'
import { shownOf } from '../search/unlabelled.ts'

function extract(regex: string, group?: number) {
  return textBy((text) => ({
    op: 'extract',
    text,
    pattern: { kind: 'regex', regex },
    occurrence: 1,
    ...(group === undefined ? {} : { group }),
  }))
}

/** Well-known forms. `when` is a pattern that every text must match for the form to be searched. */
const FORMS = [
  { found: extract('[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:[.][A-Za-z0-9-]+)+'), when: /@/, feature: 'extract.address' },
  { found: extract('https?://[^ <>"]+'), when: /:\/\//, feature: 'extract.link' },
  { found: extract('[$€£¥] ?[0-9]+(?:[.,][0-9]+)*'), when: /[$€£¥] ?\d/, feature: 'extract.amount' },
  { found: extract('[0-9]+,[0-9]{1,2}'), when: /\d,\d{1,2}(?!\d)/, feature: 'extract.decimalComma' },
] as const
const LABEL = /(?:^|[^\p{L}\p{N}])([\p{L}][\p{L}\p{N}_-]*)(=|: ?)/gu
const MAX_LABELS = 8
const SEPARATORS = ['&', ';', ',', '|', ' '] as const

/** Yields addresses, amounts with their currency, and numbers with a decimal comma, anywhere in a text. */
export function* wellKnownPieces(source: TextSource): Generator<TextNode> {
  const present = shownOf(source.texts, source.shown).filter((text) => text !== undefined)
  for (const { found, when, feature } of FORMS) {
    if (!present.every((text) => when.test(text))) continue
    const node = found(nodeOf(source), source.cost.with(feature))
    if (node.values.some((value, row) => value !== source.texts[row])) yield node
  }
}

/** Returns the mark between a value and the next label. */
function separatorOf(texts: readonly string[]): string | undefined {
  return SEPARATORS.find((mark) => {
    const before =
      mark === ' ' ? /\s[\p{L}][\p{L}\p{N}_-]*[=:]/u : new RegExp(`[${mark}]\\s*[A-Za-z][A-Za-z0-9_-]*[=:]`)
    return texts.some((text) => before.test(text))
  })
}

/** Yields the text after a label that all texts have, up to the next one: `14` after `page=`. */
export function* labelledPieces(source: TextSource): Generator<TextNode> {
  const present = shownOf(source.texts, source.shown).filter((text) => text !== undefined)
  const [first, ...others] = present.map(
    (text) => new Set([...text.matchAll(LABEL)].map(([, name = '', mark = '']) => name + mark)),
  )
  const separator = separatorOf(present)
  if (first === undefined || separator === undefined || others.length === 0) return
  const shared = [...first].filter((label) => others.every((labels) => labels.has(label)))
  for (const label of shared.slice(0, MAX_LABELS)) {
    const regex = `${label}([^${separator}]*)`
    if (!isRegexOfLanguage(regex)) continue
    yield extract(regex, 1)(nodeOf(source), source.cost.with('extract.labelled'))
  }
}

const NUMBER = /^[-+]?\d+(?:\.\d+)?$/
const DECIMALS = extract('^[^.]*[.]?([0-9]*)$', 1)

/** Yields the decimals of a number, which are empty where only some numbers have them. */
export function* decimalPieces(source: TextSource): Generator<TextNode> {
  const numbers = source.texts.filter((text) => text !== undefined)
  const isSome = numbers.some((text) => text.includes('.')) && numbers.some((text) => !text.includes('.'))
  if (isSome && numbers.every((text) => NUMBER.test(text)))
    yield DECIMALS(nodeOf(source), source.cost.with('view.decimals'))
}

const MAX_MARKS = 5

function isMissed({ texts }: TextSource, values: readonly (string | undefined)[]): boolean {
  return values.some((value, row) => value === undefined && texts[row] !== undefined)
}

/** Yields the text between two different marks, the last one of the first kind: `acme` in `ann@acme.com`. */
export function* markedPieces(source: TextSource): Generator<TextNode> {
  const marks = source.delimiters
    .filter(
      ({ name, matches }) =>
        /^[^\s\p{L}\p{N}]$/u.test(name) &&
        shownOf(matches, source.shown).every((found) => found === undefined || found.length > 0),
    )
    .slice(0, MAX_MARKS)
  for (const open of marks) {
    const isLone = shownOf(open.matches, source.shown).every((found) => found === undefined || found.length === 2)
    for (const close of marks) {
      if (close === open) continue
      const start = matchPos(open.pattern, -1, 'end')
      const end: Pos = { op: 'seekPos', base: start, pattern: close.pattern, occurrence: 1, edge: 'start' }
      const cost = source.cost.with(isLone ? 'slice.loneMarks' : 'slice.marks')
      const node = textBy((text) => slice(text, start, end))(nodeOf(source), cost)
      if (!isMissed(source, shownOf(node.values, source.shown))) yield node
    }
  }
}

/** Yields the text from the start of a line to a mark in it, the first of its kind: `Porto` in the line `Porto, PT`. */
export function* lineHeads(source: TextSource): Generator<TextNode> {
  const present = source.texts.filter((text) => text !== undefined)
  if (!present.every((text) => text.includes('\n'))) return
  const marks = source.delimiters
    .filter(({ name }) => /^[^\s\p{L}\p{N}]$/u.test(name) && present.every((text) => text.includes(name)))
    .slice(0, MAX_MARKS)
  for (const { pattern } of marks) {
    const end = matchPos(pattern, 1, 'start')
    const start: Pos = { op: 'seekPos', base: end, pattern: literalPattern('\n'), occurrence: -1, edge: 'end' }
    const node = textBy((text) => slice(text, start, end))(nodeOf(source), source.cost.with('slice.lineHead'))
    if (!isMissed(source, node.values)) yield node
  }
}
