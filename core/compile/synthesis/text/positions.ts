import type { Pos } from '../../language/ast.ts'
import type { Edge } from '../../language/names.ts'
import type { Matches } from '../../language/primitives/text/tokens.ts'
import { absPos, matchPos } from '../search/build.ts'
import type { SourcePattern, TextSource } from './source.ts'

/** A position expression with its place in every row's text, -1 where it has none. */
export interface PositionVector {
  readonly pos: Pos
  readonly cost: number
  readonly at: readonly number[]
  /** A fixed place in texts that consist of fields of fixed widths. */
  readonly isField: boolean
}

const MAX_START_OFFSET = 12
const MAX_END_OFFSET = 8
const MAX_OCCURRENCE = 4
const MAX_SEEK_BASES = 10
const TOKEN_COSTS: Readonly<Record<string, number>> = {
  number: 0.7,
  digits: 0.7,
  word: 0.8,
  alpha: 0.9,
  nonspace: 0.9,
  upper: 1.3,
  proper: 1,
  lower: 1.4,
  alnum: 1,
  space: 0.8,
  punct: 1.1,
  line: 0.6,
}

function edgeAt(matches: Matches | undefined, occurrence: number, edge: Edge): number {
  if (matches === undefined) return -1
  const count = matches.length / 2
  const index = occurrence > 0 ? occurrence - 1 : count + occurrence
  if (index < 0 || index >= count) return -1
  return matches[index * 2 + (edge === 'start' ? 0 : 1)] ?? -1
}

function patternCost(pattern: SourcePattern): number {
  if (pattern.kind === 'delimiter') return 0.6 + 0.05 * (pattern.name.length - 1)
  if (pattern.kind === 'word') return 0.9
  return TOKEN_COSTS[pattern.name] ?? 1
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
  const add = (pos: Pos, cost: number, at: number[], isField = false) => {
    if (at.every((place) => place < 0)) return
    const key = at.join()
    const known = found.get(key)
    if (known === undefined || cost < known.cost) found.set(key, { pos, cost, at, isField })
  }
  const { texts } = source
  const longest = texts.reduce((max, text) => Math.max(max, text?.length ?? 0), 0)
  const absolute = (from: Edge, offset: number) =>
    texts.map((text) =>
      text === undefined || offset > text.length ? -1 : from === 'start' ? offset : text.length - offset,
    )
  // In texts of one length that differ, places are fields.
  const isFixedWidth =
    new Set(texts).size > 1 &&
    texts.every((text) => text !== undefined && text.length === longest && /^[\p{Lu}\d]+$/u.test(text))
  for (let k = 0; k <= Math.min(MAX_START_OFFSET, longest); k++) {
    const cost = isFixedWidth ? 0.5 + 0.02 * k : 1 + 0.1 * k
    add(absPos('start', k), k === 0 ? 0 : cost, absolute('start', k), isFixedWidth)
  }
  for (let k = 0; k <= Math.min(MAX_END_OFFSET, longest); k++) {
    add(absPos('end', k), k === 0 ? 0 : 1.05 + 0.1 * k, absolute('end', k), isFixedWidth)
  }
  const patterns = [...source.delimiters, ...source.words, ...source.tokens]
  const bases: { position: PositionVector; pattern: SourcePattern }[] = []
  for (const pattern of patterns) {
    const base = patternCost(pattern)
    for (let k = 1; k <= MAX_OCCURRENCE; k++) {
      for (const occurrence of [k, -k]) {
        for (const edge of ['start', 'end'] as const) {
          const at = pattern.matches.map((matches) => edgeAt(matches, occurrence, edge))
          const pos = matchPos(pattern.pattern, occurrence, edge)
          const cost = base + 0.25 * (k - 1) + (occurrence < 0 ? 0.05 : 0)
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
      for (const edge of ['start', 'end'] as const) {
        const at = target.matches.map((matches, row) => seekAt(matches, position.at[row] ?? -1, edge))
        const pos: Pos = { op: 'seekPos', base: position.pos, pattern: target.pattern, occurrence: 1, edge }
        add(pos, position.cost + 0.5 + 0.5 * patternCost(target), at)
      }
    }
  }
  return [...found.values()].toSorted((a, b) => a.cost - b.cost)
}
