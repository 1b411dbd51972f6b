import type { CivilDate } from '../../language/primitives/dates/civil-date.ts'
import { byCost } from '../ranking/cost.ts'
import { shownOf } from '../search/unlabelled.ts'
import type { Budget } from '../search/budget.ts'
import { absPos, concat, literal, slice } from '../search/build.ts'
import { dateBy, textBy } from '../search/derived.ts'
import { type Node, NodePool, type NumberNode, type TextNode } from '../search/node.ts'
import { type DateNode, dateVectorKey } from './date-node.ts'
import { DateReader, readPiece } from './read-pieces.ts'

export type { DateNode } from './date-node.ts'

const MAX_PIECES = 60
const MAX_TIMES = 4
const MAX_DATES = 14
const DATE_LIKE =
  /\p{Nd}[-/.: ,年월]+\p{Nd}|\d{6,8}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)|\d ?[ap]m|\d[^\d\n]{1,20}\d{4}|\d{4}[^\d\n]{1,20}\d/iu
/** Numbers that are a Unix time of the years 1973 to 2100, in seconds or milliseconds. */
function unixTimes(numbers: readonly NumberNode[], shown: number): DateNode[] {
  return numbers.flatMap((node): DateNode[] => {
    const present = shownOf(node.values, shown).filter((value) => value !== undefined)
    const unit = present.every((value) => value >= 1e8 && value <= 4.1e9)
      ? 'seconds'
      : present.every((value) => value >= 1e11 && value <= 4.1e12)
        ? 'milliseconds'
        : undefined
    if (unit === undefined) return []
    const read = dateBy((value) => ({ op: 'fromUnix', value, ...(unit === 'seconds' ? {} : { unit }) }))
    return [{ ...read(node, node.cost.with('fromUnix')), has: 'both' }]
  })
}

const COMPACT_TIME = /^(?:[01]?\d|2[0-3])[0-5]\d$/
const YEAR = /^(?:19|20)\d\d$/
const WITH_COLON = textBy((text) =>
  concat([
    slice(text, absPos('start', 0), absPos('end', 2)),
    literal(':'),
    slice(text, absPos('end', 2), absPos('end', 0)),
  ]),
)

/** One of several times of day is after this, or else they are rather numbers of three or four digits. */
const AFTERNOON = 1300

/** Times of day without a mark, such as `945` and `1730`, with a colon; not where all of them can be years. */
function compactTimes(pieces: readonly TextNode[], shown: number): TextNode[] {
  return pieces.flatMap((piece) => {
    const present = shownOf(piece.values, shown).filter((value) => value !== undefined)
    const isTime = present.every((value) => COMPACT_TIME.test(value))
    const isLate = present.some((value) => Number(value) >= AFTERNOON)
    if (!isTime || !isLate || present.every((value) => YEAR.test(value))) return []
    return [WITH_COLON(piece, piece.cost.with('view.compactTime'))]
  })
}

/** The dates and times that pieces of the inputs can be read as. */
export function buildDateSpace(
  pieces: readonly TextNode[],
  numbers: readonly NumberNode[],
  shown: number,
  budget: Budget,
): DateNode[] {
  const pool = new NodePool<CivilDate>(dateVectorKey, shown)
  const kinds = new Map<Node<CivilDate>, DateNode>()
  const reader = new DateReader()
  const likely = pieces.filter((piece) =>
    shownOf(piece.values, shown).some((value) => value !== undefined && DATE_LIKE.test(value)),
  )
  for (const node of unixTimes(numbers, shown)) {
    pool.add(node)
    kinds.set(node, node)
  }
  for (const piece of [...likely.slice(0, MAX_PIECES), ...compactTimes(pieces, shown).slice(0, MAX_TIMES)]) {
    for (const node of readPiece(piece, shown, reader, budget)) {
      pool.add(node)
      kinds.set(node, node)
    }
  }
  const defined = (node: DateNode) => node.values.filter((date) => date !== undefined).length
  return pool
    .best()
    .flatMap((node) => kinds.get(node) ?? [])
    .toSorted((a, b) => defined(b) - defined(a) || byCost(a, b))
    .slice(0, MAX_DATES)
}
