import { escapeRegex } from '../search/build.ts'
import { isRegexOfLanguage } from '../search/candidate-program.ts'
import { compileRegex, firstGroups } from '../../language/primitives/text/regex.ts'
import { costOf, type Cost } from '../ranking/cost.ts'

/** A text with the parts that it is split into, in order. */
export interface SplitSample {
  readonly text: string
  readonly items: readonly string[]
}

/** A regular expression whose groups are the parts. */
export interface Template {
  readonly regex: string
  readonly cost: Cost
}

const MAX_ITEMS = 40
const MAX_TEXT = 2000

/** The texts before, between and after the parts. */
type Gaps = readonly string[]

/** Places the parts from left to right, or from right to left; undefined where one is missing or empty. */
function gapsOf({ text, items }: SplitSample, isFromEnd: boolean): Gaps | undefined {
  const gaps: string[] = []
  if (!isFromEnd) {
    let from = 0
    for (const item of items) {
      const at = item === '' ? -1 : text.indexOf(item, from)
      if (at < 0) return undefined
      gaps.push(text.slice(from, at))
      from = at + item.length
    }
    return [...gaps, text.slice(from)]
  }
  let until = text.length
  for (const item of items.toReversed()) {
    const at = item === '' || until < item.length ? -1 : text.lastIndexOf(item, until - item.length)
    if (at < 0) return undefined
    gaps.unshift(text.slice(at + item.length, until))
    until = at
  }
  return [text.slice(0, until), ...gaps]
}

function escape(text: string): string {
  return escapeRegex(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r')
}

/** White space as it differs between rows; beside a mark that parts the items there may be none. */
function spacePattern(runs: readonly string[], isBesideMark: boolean): string {
  const [first = ''] = runs
  if (runs.every((run) => run === first)) return escape(first)
  const unit = runs.every((run) => /^ *$/.test(run)) ? ' ' : '\\s'
  return `${unit}${isBesideMark || runs.includes('') ? '*' : '+'}`
}

/** A pattern for gaps that are alike but for white space; undefined for others. */
function gapPattern(gaps: readonly string[]): string | undefined {
  const [first = ''] = gaps
  if (gaps.every((gap) => gap === first)) return escape(first)
  const marks = first.replace(/\s+/g, '')
  if (gaps.some((gap) => gap.replace(/\s+/g, '') !== marks)) return undefined
  const runs = gaps.map((gap) => {
    const own: string[] = []
    let run = ''
    for (const unit of gap) {
      if (/\s/.test(unit)) run += unit
      else {
        own.push(run)
        run = ''
      }
    }
    return [...own, run]
  })
  let pattern = ''
  for (const [at, mark] of [...Array.from(marks), ''].entries())
    pattern +=
      spacePattern(
        runs.map((own) => own[at] ?? ''),
        marks !== '',
      ) + escape(mark)
  return pattern
}

const CLASSES = ['[0-9]', '[0-9.,+-]', '\\pL', '[^0-9]', '[^\\s]', '[^ ]']
  .map((name) => name.replace('\\pL', '[\\p{L}]'))
  .map((name) => ({ name, all: new RegExp(`^${name}+$`, 'u'), one: new RegExp(`^${name}`, 'u') }))

/** A class that every part consists of and that no text right behind it starts with. */
function classOf(items: readonly string[], behind: readonly string[]): string | undefined {
  return CLASSES.find(
    ({ all, one }) => items.every((item) => all.test(item)) && behind.every((rest) => rest === '' || !one.test(rest)),
  )?.name
}

const TOKEN = /\p{L}+|\p{N}+|\s+|[^\p{L}\p{N}\s]/gu

/** The shape that all parts have: digits of one length, letters, marks; undefined without one. */
function shapeOf(items: readonly string[]): string | undefined {
  const rows = items.map((item) => item.match(TOKEN) ?? [])
  const [first = []] = rows
  if (first.length < 2 || first.length > 12 || rows.some((row) => row.length !== first.length)) return undefined
  let shape = ''
  for (const [at, token] of first.entries()) {
    const column = rows.map((row) => row[at] ?? '')
    const isOneLength = column.every((one) => one.length === token.length)
    if (column.every((one) => /^[0-9]+$/.test(one))) shape += `[0-9]${isOneLength ? `{${token.length}}` : '+'}`
    else if (column.every((one) => /^\p{L}+$/u.test(one))) shape += '[\\p{L}]+'
    else if (column.every((one) => one === token)) shape += escape(token)
    else return undefined
  }
  return shape
}

type Part = 'lazy' | 'shaped' | 'greedy'

function partPatterns(samples: readonly SplitSample[], gaps: readonly Gaps[], any: string, kind: Part): string[] {
  const count = samples[0]?.items.length ?? 0
  return Array.from({ length: count }, (_, at) => {
    const items = samples.map((sample) => sample.items[at] ?? '')
    const isLast = at === count - 1
    const isOpen = gaps.some((own) => own[at + 1] === '')
    if (isLast && isOpen) return `${any}*`
    if (isOpen) {
      const behind = samples.map(({ items: own }, row) => (gaps[row]?.[at + 1] ?? '') + (own[at + 1] ?? ''))
      const name = classOf(items, behind)
      if (name !== undefined) return `${name}+`
    }
    const shape = kind === 'shaped' ? shapeOf(items) : undefined
    if (shape !== undefined) return shape
    return kind === 'greedy' ? `${any}*` : `${any}*?`
  })
}

/** A template of parts of fixed widths; undefined where the widths differ or something stands between the parts. */
function widthTemplate(samples: readonly SplitSample[], any: string): Template | undefined {
  const [first] = samples
  if (first === undefined || samples.length < 2 || samples.some(({ text, items }) => items.join('') !== text))
    return undefined
  const widths = first.items.map((item) => item.length)
  const isLast = (at: number) => at === widths.length - 1
  if (samples.some(({ items }) => items.some((item, at) => !isLast(at) && item.length !== widths[at]))) return undefined
  if (new Set(samples.map(({ text }) => text.length)).size > 1) return undefined
  const parts = widths.map((width, at) => (isLast(at) ? `(${any}*)` : `(${any}{${width}})`))
  return { regex: `^${parts.join('')}$`, cost: costOf('template').with('template.widths') }
}

function isRight(samples: readonly SplitSample[], regex: string): boolean {
  if (!isRegexOfLanguage(regex)) return false
  const compiled = compileRegex(regex)
  return samples.every(({ text, items }) => {
    const found = firstGroups(text, compiled)
    return found?.length === items.length && found.every((group, at) => group === items[at])
  })
}

/**
 * Finds regular expressions whose groups are the parts of every text, likeliest first: parts of fixed widths, parts between constant
 * marks (white space may differ), parts distinguished by their characters.
 */
export function findTemplates(samples: readonly SplitSample[]): Template[] {
  const count = samples[0]?.items.length ?? 0
  if (count < 2 || count > MAX_ITEMS) return []
  if (samples.some(({ text, items }) => items.length !== count || text.length > MAX_TEXT)) return []
  const any = samples.some(({ text }) => text.includes('\n')) ? '[\\s\\S]' : '.'
  const found = new Map<string, Template>()
  const add = (template: Template | undefined) => {
    if (template !== undefined && !found.has(template.regex) && isRight(samples, template.regex))
      found.set(template.regex, template)
  }
  add(widthTemplate(samples, any))
  for (const isFromEnd of [false, true]) {
    const gaps = samples.map((sample) => gapsOf(sample, isFromEnd)).filter((own) => own !== undefined)
    if (gaps.length < samples.length) continue
    const patterns = Array.from({ length: count + 1 }, (_, at) => gapPattern(gaps.map((own) => own[at] ?? '')))
    if (patterns.includes(undefined)) continue
    for (const kind of ['lazy', 'shaped', 'greedy'] as const) {
      const parts = partPatterns(samples, gaps, any, kind)
      const regex = `^${patterns[0] ?? ''}${parts.map((part, at) => `(${part})${patterns[at + 1] ?? ''}`).join('')}$`
      add({
        regex,
        cost: costOf('template')
          .when(kind !== 'lazy', 'template.shaped')
          .when(isFromEnd, 'template.fromEnd'),
      })
    }
  }
  return [...found.values()]
}
