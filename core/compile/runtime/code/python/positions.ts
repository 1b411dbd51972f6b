import type { Pattern } from '../../../language/ast.ts'
import { NUMBER } from '../../../language/value-types.ts'
import { neverOverlaps } from '../patterns/overlaps.ts'
import { pyString } from './strings.ts'
import type { PositionTable, Writer } from '../writing/dialect.ts'

function edgeOfMatch(pattern: Pattern, occurrence: number, edge: 'start' | 'end', text: string, write: Writer): string {
  if (pattern.kind === 'literal' && (occurrence === 1 || (occurrence === -1 && neverOverlaps(pattern.text)))) {
    const found = `${text}.${occurrence === 1 ? 'index' : 'rindex'}(${pyString(pattern.text)})`
    return edge === 'start' ? found : `${found} + ${Array.from(pattern.text).length}`
  }
  return `${write.call('_match', write.pattern(pattern), text, occurrence === 1 ? '' : String(occurrence))}.${edge}()`
}

/** Positions as indexes of Python's texts, which count code points. */
export const PY_POSITIONS: PositionTable = {
  absPos: ({ from, offset }, text, write) => {
    if (from === 'start') return offset === 0 ? '0' : write.call('_index', text, String(offset))
    if (offset === 0) return `len(${text})`
    return write.call('_index', text, `${write.call('_length', text)} - ${offset}`)
  },
  matchPos: ({ pattern, occurrence, edge }, text, write) => edgeOfMatch(pattern, occurrence, edge, text, write),
  betweenPos: ({ left, right, occurrence }, text, write) =>
    write.call('_boundary', write.pattern(left), write.pattern(right), text, String(occurrence)),
  seekPos: ({ base, pattern, occurrence, edge }, text, write) => {
    const from = write.position(base, text)
    return `${write.call('_seek', write.pattern(pattern), text, from, String(occurrence))}.${edge}()`
  },
  shiftPos: ({ base, by }, text, write) => write.call('_shift', text, write.position(base, text), String(by)),
  exprPos: ({ value }, text, write) => write.call('_index_of_number', text, write.operand(value, NUMBER)),
}
