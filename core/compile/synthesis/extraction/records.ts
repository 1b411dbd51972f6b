import type { Expr } from '../../language/ast.ts'
import { splitAt } from '../../language/primitives/text/edit.ts'
import { literalMatches } from '../../language/primitives/text/tokens.ts'
import { costOf, type Cost } from '../ranking/cost.ts'
import { literal, literalPattern } from '../search/build.ts'
import type { Budget } from '../search/budget.ts'
import { itemVariable } from '../lists/items.ts'
import { filtersOf } from './record-filters.ts'
import { learnRegion, regionExpr } from './region.ts'

/** The parts that a record of each wanted item has to hold, text by text. */
export interface RecordSample {
  readonly text: string
  readonly items: readonly (readonly string[])[]
}

/** Records of every text, one for each wanted item. */
export interface Records {
  readonly build: (text: Expr) => Expr
  readonly cost: Cost
  readonly values: readonly (readonly string[])[]
}

const UNITS_PER_STEP = 64
const MAX_SEPARATORS = 16
const MAX_FILTERS = 400
const MAX_FOUND = 4
const MAX_GAP = 4000
const NEAR = 4000

/** The span of one item's parts around its rarest part; undefined when a part is missing there. */
function extent(text: string, parts: readonly string[], from: number): { start: number; end: number } | undefined {
  let start = Infinity
  let end = -1
  const longest = parts.toSorted((a, b) => b.length - a.length)[0] ?? ''
  const anchor = text.indexOf(longest, from)
  if (anchor < 0) return undefined
  for (const part of parts) {
    const low = Math.max(from, anchor - NEAR)
    const ahead = text.indexOf(part, anchor)
    const behind = text.slice(low, anchor).lastIndexOf(part)
    const back = behind < 0 ? -1 : low + behind
    const at = back >= 0 && (ahead < 0 || anchor - back < ahead - anchor) ? back : ahead
    if (at < 0 || at > anchor + NEAR) return undefined
    start = Math.min(start, at)
    end = Math.max(end, at + part.length)
  }
  return { start, end }
}

const TOKEN = /<[^>\n]{1,60}>|\n+|\p{L}+|\p{N}+|[^\S\n]+|[^\p{L}\p{N}\s]/gu

/** Texts between the first records that may part all of them, likeliest first. */
function separatorsOf(samples: readonly RecordSample[]): string[] {
  const found = new Set<string>(['\n'])
  for (const { text, items } of samples) {
    const [first, second] = items
    if (first === undefined || second === undefined) continue
    const one = extent(text, first, 0)
    const two = one === undefined ? undefined : extent(text, second, one.end)
    if (one === undefined || two === undefined || two.start - one.end > MAX_GAP) continue
    const gap = text.slice(one.end, two.start)
    const tokens = [...gap.matchAll(TOKEN)]
    for (const [i, token] of tokens.entries()) {
      const isBreak = token[0].startsWith('\n')
      if (!isBreak && !token[0].startsWith('<')) continue
      for (const count of isBreak ? [1, 2, 3, 4] : [1]) {
        const last = tokens[i + count - 1]
        if (last !== undefined) found.add(gap.slice(token.index, last.index + last[0].length))
      }
    }
    for (const count of [3, 2, 1]) {
      const start = tokens.at(-count)?.index
      if (start !== undefined && gap.length - start > 1) found.add(gap.slice(start))
    }
    if (found.size > MAX_SEPARATORS) break
  }
  return [...found].filter((separator) => separator.length <= 80)
}

function holdsAll(record: string | undefined, parts: readonly string[] | undefined): boolean {
  return record !== undefined && parts?.every((part) => record.includes(part)) === true
}

/** Returns true when there is one record for each item, in order. */
function areRecords(records: readonly string[], items: readonly (readonly string[])[]): boolean {
  return records.length === items.length && items.every((parts, i) => holdsAll(records[i], parts))
}

/** From which record on each item has its own; -1 when there is no such record. */
function offsetOf(records: readonly string[], items: readonly (readonly string[])[]): number {
  for (let offset = 0; offset + items.length <= records.length; offset++)
    if (items.every((parts, i) => holdsAll(records[offset + i], parts))) return offset
  return -1
}

/** A record of the item that the fewest records hold. */
function rarest(records: readonly string[], items: readonly (readonly string[])[]): string[] {
  const some = items.slice(0, 12).map((parts) => records.filter((record) => holdsAll(record, parts)))
  const [fewest] = some.filter((own) => own.length > 0).toSorted((a, b) => a.length - b.length)
  return fewest?.slice(0, 2) ?? []
}

class RecordSearch {
  readonly #samples: readonly RecordSample[]
  readonly #budget: Budget
  readonly found: Records[] = []

  constructor(samples: readonly RecordSample[], budget: Budget) {
    this.#samples = samples
    this.#budget = budget
  }

  /** Keeps the parts at a separator that are records: all of them, those that a condition takes, or those of a region. */
  split(separator: string): void {
    const units = this.#samples.reduce((sum, { text }) => sum + text.length, 0)
    this.#budget.spend(Math.ceil(units / UNITS_PER_STEP))
    const by = literalPattern(separator)
    const pieces = this.#samples.map(({ text }) => splitAt(text, literalMatches(text, separator), false))
    if (pieces.some((parts, i) => parts.length < (this.#samples[i]?.items.length ?? 0))) return
    const base = costOf('records').with('split.list.character', separator.length)
    const split = (text: Expr): Expr => ({ op: 'split', text, by })
    if (this.#keep(pieces, split, base)) return
    const rest = pieces.map((parts) => parts.slice(1))
    const drop = (text: Expr): Expr => ({ op: 'drop', list: split(text), count: literal(1) })
    if (this.#keep(rest, drop, base.with('records.drop'))) return
    this.#filter(pieces, split, base)
    this.#section(pieces, separator, split, base)
  }

  #keep(values: readonly (readonly string[])[], build: (text: Expr) => Expr, cost: Cost): boolean {
    if (!values.every((records, i) => areRecords(records, this.#samples[i]?.items ?? []))) return false
    this.found.push({ build, cost, values })
    return true
  }

  #filter(pieces: readonly (readonly string[])[], build: (text: Expr) => Expr, cost: Cost): void {
    const longest = this.#samples.reduce(
      (best, { items }, i, all) => (items.length > (all[best]?.items.length ?? 0) ? i : best),
      0,
    )
    const shown = rarest(pieces[longest] ?? [], this.#samples[longest]?.items ?? [])
    const count = pieces.reduce((sum, parts) => sum + parts.length, 0)
    const { name, expr } = itemVariable(0)
    let kept = 0
    for (const filter of shown.flatMap((record) => filtersOf(record)).slice(0, MAX_FILTERS)) {
      this.#budget.spend(1 + (count >> 5))
      const values: string[][] = []
      for (const [i, parts] of pieces.entries()) {
        const own = parts.filter(filter.holds)
        if (!areRecords(own, this.#samples[i]?.items ?? [])) break
        values.push(own)
      }
      if (values.length < pieces.length) continue
      this.found.push({
        build: (text) => ({ op: 'filter', list: build(text), as: name, where: filter.build(expr) }),
        cost: cost.plus(filter.cost),
        values,
      })
      if (++kept >= 2) return
    }
  }

  #section(pieces: readonly (readonly string[])[], separator: string, build: (text: Expr) => Expr, cost: Cost): void {
    if (this.#samples.some(({ items }) => items.length === 0)) return
    const values: (readonly string[])[] = []
    const sections = this.#samples.flatMap(({ text, items }, i) => {
      const parts = pieces[i] ?? []
      const offset = offsetOf(parts, items)
      if (offset < 0) return []
      const own = parts.slice(offset, offset + items.length)
      const before = parts.slice(0, offset).reduce((sum, part) => sum + part.length + separator.length, 0)
      const value = own.join(separator)
      values.push(own)
      return [{ text, value, spans: [{ start: before, end: before + value.length }] }]
    })
    if (sections.length < this.#samples.length) return
    const region = learnRegion(sections, this.#budget)[0]
    if (region === undefined) return
    this.found.push({
      build: (text) => build(regionExpr(text, region)),
      cost: cost.plus(region.cost).with('records.section'),
      values,
    })
  }
}

/**
 * Finds records: parts of the texts, one for each wanted item and in their order, that hold the parts of the item. Records are lines,
 * or stand between texts that part them; a condition or a region leaves out the others.
 */
export function findRecords(samples: readonly RecordSample[], budget: Budget): Records[] {
  const search = new RecordSearch(samples, budget)
  for (const separator of separatorsOf(samples).slice(0, MAX_SEPARATORS * 2)) {
    search.split(separator)
    if (search.found.length >= MAX_FOUND) break
  }
  return search.found.toSorted((a, b) => a.cost.total - b.cost.total)
}
