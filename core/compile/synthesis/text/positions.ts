import type { Pos } from '../../language/ast.ts'
import type { Edge } from '../../language/names.ts'
import type { Matches } from '../../language/primitives/text/tokens.ts'
import { absPos, matchPos } from '../search/build.ts'
import type { SourcePattern, TextSource } from './source.ts'
import { shownOf } from '../search/unlabelled.ts'
import { byCost, Cost, costOf, type FeatureName } from '../ranking/cost.ts'

/** A position expression with its place in every row's text, -1 where it has none. */
export interface PositionVector {
  readonly pos: Pos
  readonly cost: Cost
  readonly at: readonly number[]
  /** A fixed place in texts that consist of fields of fixed widths. */
  readonly isField: boolean
}

const MAX_START_OFFSET = 12
const MAX_END_OFFSET = 8
const MAX_OCCURRENCE = 4
const MAX_SEEK_BASES = 10
const TOKENS: Readonly<Record<string, FeatureName>> = {
  number: 'position.number',
  digits: 'position.digits',
  word: 'position.word',
  alpha: 'position.alpha',
  nonspace: 'position.nonspace',
  upper: 'position.upper',
  proper: 'position.proper',
  lower: 'position.lower',
  alnum: 'position.alnum',
  space: 'position.space',
  punct: 'position.punct',
  line: 'position.line',
}

function edgeAt(matches: Matches | undefined, occurrence: number, edge: Edge): number {
  if (matches === undefined) return -1
  const count = matches.length / 2
  const index = occurrence > 0 ? occurrence - 1 : count + occurrence
  if (index < 0 || index >= count) return -1
  return matches[index * 2 + (edge === 'start' ? 0 : 1)] ?? -1
}

function patternCost(pattern: SourcePattern): Cost {
  if (pattern.kind === 'delimiter')
    return costOf('position.delimiter').with('position.delimiter.character', pattern.name.length - 1)
  if (pattern.kind === 'word') return costOf('position.sharedWord')
  return costOf(TOKENS[pattern.name] ?? 'position.otherToken')
}

function seekAt(matches: Matches | undefined, base: number, edge: Edge): number {
  if (matches === undefined || base < 0) return -1
  for (let i = 0; i < matches.length; i += 2) {
    const start = matches[i] ?? -1
    if (start >= base) return edge === 'start' ? start : (matches[i + 1] ?? -1)
  }
  return -1
}

/** Returns every position that the source's patterns name, one per vector of positions, cheapest first. */
export function positionsIn(source: TextSource): PositionVector[] {
  const found = new Map<string, PositionVector>()
  const add = (pos: Pos, cost: Cost, at: number[], isField = false) => {
    if (at.every((place, row) => place < 0 || row >= source.shown)) return
    const key = at.join()
    const known = found.get(key)
    if (known === undefined || cost.total < known.cost.total) found.set(key, { pos, cost, at, isField })
  }
  const { texts } = source
  const given = shownOf(texts, source.shown)
  const longest = given.reduce((max, text) => Math.max(max, text?.length ?? 0), 0)
  const absolute = (from: Edge, offset: number) =>
    texts.map((text) =>
      text === undefined || offset > text.length ? -1 : from === 'start' ? offset : text.length - offset,
    )
  // In texts of one length that differ, places are fields.
  const isFixedWidth =
    new Set(given).size > 1 &&
    given.every((text) => text !== undefined && text.length === longest && /^[\p{Lu}\d]+$/u.test(text))
  for (let k = 0; k <= Math.min(MAX_START_OFFSET, longest); k++) {
    const cost = isFixedWidth
      ? costOf('position.field').with('position.field.offset', k)
      : costOf('position.start').with('position.start.offset', k)
    add(absPos('start', k), k === 0 ? Cost.NONE : cost, absolute('start', k), isFixedWidth)
  }
  for (let k = 0; k <= Math.min(MAX_END_OFFSET, longest); k++) {
    const cost = costOf('position.end').with('position.end.offset', k)
    add(absPos('end', k), k === 0 ? Cost.NONE : cost, absolute('end', k), isFixedWidth)
  }
  const patterns = [...source.delimiters, ...source.words, ...source.tokens]
  const bases: { position: PositionVector; pattern: SourcePattern }[] = []
  for (const pattern of patterns) {
    const base = patternCost(pattern)
    for (let k = 1; k <= MAX_OCCURRENCE; k++) {
      const later = base.with('position.occurrence', k - 1)
      for (const occurrence of [k, -k]) {
        const cost = later.when(occurrence < 0, 'position.fromEnd')
        for (const edge of ['start', 'end'] as const) {
          const at = pattern.matches.map((matches) => edgeAt(matches, occurrence, edge))
          const pos = matchPos(pattern.pattern, occurrence, edge)
          add(pos, cost, at)
          if (k === 1 && occurrence > 0 && edge === 'end' && pattern.kind !== 'token') {
            bases.push({ position: { pos, cost, at, isField: false }, pattern })
          }
        }
      }
    }
  }
  for (const { position, pattern } of bases.slice(0, MAX_SEEK_BASES)) {
    for (const target of patterns) {
      if (target === pattern && target.kind === 'word') continue
      const cost = position.cost.with('position.seek').plus(patternCost(target).share('position.seek'))
      for (const edge of ['start', 'end'] as const) {
        const at = target.matches.map((matches, row) => seekAt(matches, position.at[row] ?? -1, edge))
        const pos: Pos = { op: 'seekPos', base: position.pos, pattern: target.pattern, occurrence: 1, edge }
        add(pos, cost, at)
      }
    }
  }
  return [...found.values()].toSorted(byCost)
}
