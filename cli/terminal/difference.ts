import type { Json } from '../../core/kernel/json/json.ts'
import { paint } from './output.ts'
import { plainText } from './table.ts'

/** Characters of a value that a cell shows. */
const CELL_CHARS = 36
/** Characters that a cut cell shows before its difference. */
const BEFORE_CHARS = 8

/** Returns a value as one line of plain text: texts as they are, an empty text and other values as JSON. */
export function cellText(value: Json | undefined): string {
  if (value === undefined) return ''
  return plainText(typeof value === 'string' && value !== '' ? value : JSON.stringify(value))
}

/** Returns a text cut to the width of a cell. */
export function cutCell(text: string): string {
  return text.length > CELL_CHARS ? `${text.slice(0, CELL_CHARS - 1)}…` : text
}

/**
 * Returns an expected and an actual value as cells, with the part in which they differ marked: by colour, and by
 * brackets where colours are off. Long values are cut around it.
 */
export function markDifference(expected: Json | undefined, got: Json | undefined): readonly [string, string] {
  const one = charactersOf(cellText(expected))
  const other = charactersOf(cellText(got))
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  let rest = 0
  const shared = Math.min(one.length, other.length) - start
  while (rest < shared && one.at(-1 - rest) === other.at(-1 - rest)) rest++
  if (start === one.length && start === other.length) return [cutCell(one.join('')), cutCell(other.join(''))]
  // Two words that share a few letters by chance differ as a whole.
  if (2 * (start + rest) < Math.max(one.length, other.length)) [start, rest] = [0, 0]
  return [marked(one, start, rest, 'green'), marked(other, start, rest, 'red')]
}

function charactersOf(text: string): readonly string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
}

function marked(characters: readonly string[], start: number, rest: number, colour: 'green' | 'red'): string {
  const end = characters.length - rest
  const from = characters.length > CELL_CHARS ? Math.max(0, start - BEFORE_CHARS) : 0
  const to = Math.min(characters.length, from + CELL_CHARS)
  const before = characters.slice(from, start).join('')
  const middle = characters.slice(start, Math.min(end, to)).join('')
  const after = characters.slice(Math.min(end, to), to).join('')
  const shown = paint([colour, 'underline'], middle)
  return [
    from > 0 ? '…' : '',
    before,
    shown === middle ? `[${middle}]` : shown,
    after,
    to < characters.length ? '…' : '',
  ].join('')
}
