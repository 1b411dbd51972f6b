import type { Expr } from '../../language/ast.ts'
import type { TokenName } from '../../language/names.ts'
import { tokenMatches } from '../../language/primitives/text/tokens.ts'
import { byCost, costOf, type Cost } from '../ranking/cost.ts'
import { absPos, slice, tokenPattern } from '../search/build.ts'

/** A record with the text that is wanted from it. */
export interface Shown {
  readonly record: string
  readonly value: string
}

/** An expression over a record. */
export interface PartOfRecord {
  readonly expr: Expr
  readonly cost: Cost
}

const TOKENS = [
  { token: 'number', feature: 'extract.number' },
  { token: 'digits', feature: 'extract.digits' },
  { token: 'nonspace', feature: 'extract.nonspace' },
  { token: 'word', feature: 'extract.word' },
  { token: 'line', feature: 'extract.line' },
] as const satisfies readonly { readonly token: TokenName; readonly feature: string }[]
const MAX_PLACE = 40

/** The k-th token of every record, counted from its start or its end. */
export function tokenParts(shown: readonly Shown[], record: Expr): PartOfRecord[] {
  const out: PartOfRecord[] = []
  for (const { token, feature } of TOKENS) {
    let places: Set<number> | undefined
    for (const { record: text, value } of shown) {
      const matches = tokenMatches(text, token)
      const count = matches.length / 2
      const own = new Set<number>()
      for (let i = 0; i < count; i++) {
        if (text.slice(matches[i * 2], matches[i * 2 + 1]) !== value) continue
        if (i < MAX_PLACE) own.add(i + 1)
        if (count - i <= MAX_PLACE) own.add(i - count)
      }
      places = places === undefined ? own : places.intersection(own)
      if (places.size === 0) break
    }
    for (const occurrence of places ?? []) {
      const far = Math.abs(occurrence)
      out.push({
        expr: { op: 'extract', text: record, pattern: tokenPattern(token), occurrence },
        cost: costOf(feature)
          .with('extract.place', far === 1 ? 0 : far)
          .when(occurrence < 0, 'extract.fromEnd'),
      })
    }
  }
  return out.toSorted(byCost)
}

/** The blank room around a value in its record, from the first place where it stands among blanks. */
function roomOf({ record, value }: Shown): { low: number; start: number; end: number; high: number } | undefined {
  for (let start = record.indexOf(value); start >= 0; start = record.indexOf(value, start + 1)) {
    const end = start + value.length
    let low = start
    let high = end
    while (low > 0 && record.charAt(low - 1) === ' ') low--
    while (high < record.length && record.charAt(high) === ' ') high++
    if ((low < start || start === 0) && (high > end || end === record.length)) return { low, start, end, high }
  }
  return undefined
}

/** The text between two columns that are blank around it in every record, without the blanks: the field of a table in print. */
export function columnPart(shown: readonly Shown[], record: Expr): PartOfRecord[] {
  const rooms = shown.map(roomOf)
  let low = 0
  let high = Infinity
  let start = Infinity
  let end = 0
  for (const room of rooms) {
    if (room === undefined) return []
    low = Math.max(low, room.low)
    high = Math.min(high, room.high)
    start = Math.min(start, room.start)
    end = Math.max(end, room.end)
  }
  if (shown.length < 2 || low > start || end > high) return []
  const isLast = rooms.every((room, i) => room?.high === shown[i]?.record.length)
  const part = slice(record, absPos('start', low), isLast ? absPos('end', 0) : absPos('start', high))
  return [{ expr: { op: 'trim', text: part }, cost: costOf('column') }]
}
