import { hash } from 'node:crypto'
import { canonicalJson } from '../../../kernel/json/json.ts'
import type { Row } from '../../rows/task.ts'

/** Rows under which nothing is held back: candidates then compete by the synthesizer's own rank. */
export const HOLD_BACK_FROM = 12
const HELD_BACK_SHARE = 4
const HELD_BACK_ROWS = 500
/** Rows that candidates are judged on at most. */
const JUDGED_ROWS = 2000

/** Rows in an order that depends on their inputs alone. */
export function shuffleByHash(rows: readonly Row[]): readonly Row[] {
  return rows
    .map((row) => ({ row, key: hash('sha256', canonicalJson(row.input), 'hex') }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row)
}

/** Train rows divided, by their inputs alone, into those to learn from and a quarter to judge what was learned. */
export function holdRowsBack(rows: readonly Row[]): {
  readonly fit: readonly Row[]
  readonly heldBack: readonly Row[]
} {
  const ordered = shuffleByHash(rows)
  const held = Math.min(HELD_BACK_ROWS, Math.floor(ordered.length / HELD_BACK_SHARE))
  return { fit: ordered.slice(held, held + JUDGED_ROWS), heldBack: ordered.slice(0, held) }
}

/** The first rows of a search: outputs that occur again and again take turns, so that each is among them. */
export function pickFirst(rows: readonly Row[], count: number): readonly Row[] {
  if (rows.length <= count) return rows
  const turns = new Map<string, number>()
  return rows
    .map((row, place) => {
      const key = canonicalJson(row.output)
      const turn = turns.get(key) ?? 0
      turns.set(key, turn + 1)
      return { row, turn, place }
    })
    .sort((a, b) => a.turn - b.turn || a.place - b.place)
    .slice(0, count)
    .map(({ row }) => row)
}
