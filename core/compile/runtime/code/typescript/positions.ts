import { NUMBER } from '../../../language/value-types.ts'
import { neverOverlaps } from '../patterns/overlaps.ts'
import type { PositionTable } from '../writing/dialect.ts'
import { tsString } from './strings.ts'

/** Positions as indexes of JavaScript's texts. */
export const TS_POSITIONS: PositionTable = {
  absPos: ({ from, offset }, text, write) => {
    if (from === 'end')
      return offset === 0 ? `${text}.length` : write.call('inRange', text, `${text}.length - ${offset}`)
    return offset === 0 ? '0' : write.call('inRange', text, String(offset))
  },
  matchPos: ({ pattern, occurrence, edge }, text, write) => {
    if (pattern.kind === 'literal' && (occurrence === 1 || (occurrence === -1 && neverOverlaps(pattern.text)))) {
      const found = write.call(occurrence === 1 ? 'indexIn' : 'lastIndexIn', text, tsString(pattern.text))
      return edge === 'start' ? found : `${found} + ${pattern.text.length}`
    }
    return write.call('edgeOf', write.pattern(pattern), text, String(occurrence), `'${edge}'`)
  },
  betweenPos: ({ left, right, occurrence }, text, write) =>
    write.call('boundary', write.pattern(left), write.pattern(right), text, String(occurrence)),
  seekPos: ({ base, pattern, occurrence, edge }, text, write) =>
    write.call('seek', write.pattern(pattern), text, write.position(base, text), String(occurrence), `'${edge}'`),
  shiftPos: ({ base, by }, text, write) =>
    write.call('inRange', text, `${write.position(base, text)} + ${by}`.replace('+ -', '- ')),
  exprPos: ({ value }, text, write) => write.call('position', text, write.operand(value, NUMBER)),
}
