import { KERNEL_ERRORS } from '../../../../kernel/errors.ts'
import { cellName } from '../table-error.ts'

/** Finds a cell that does not name its place. */
const UNPLACED = /<(?:\w+:)?c(?=[\s/>])(?![^<>]*\sr\s*=)/
const ROWS_AND_CELLS = /<(?:\w+:)?(row|c)(?=[\s/>])[^<>]*/g
const PLACE = /\sr\s*=\s*["']\s*([A-Za-z]*)(\d+)/
/** Characters that are joined before they become bytes. */
const PIECE_CHARS = 1 << 20

/**
 * Returns a sheet in which every cell names its place, such as `B7`. ECMA-376 (part 1, 18.3.1.4 and 18.3.1.73) lets writers
 * leave the places of rows and cells out: each then follows the one before. The reader of cells needs them. Throws
 * `payload_too_large` for a sheet that then has more than `maxBytes`.
 */
export function withPlaces(sheet: Buffer, maxBytes: number): Buffer {
  const xml = sheet.toString('latin1')
  if (!UNPLACED.test(xml)) return sheet
  const pieces: Buffer[] = []
  let size = 0
  let text = ''
  const flush = (): void => {
    pieces.push(Buffer.from(text, 'latin1'))
    size += text.length
    text = ''
    if (size > maxBytes) throw KERNEL_ERRORS.payload_too_large(`file: has a sheet of more than ${maxBytes} bytes`)
  }
  let [row, column, from] = [0, -1, 0]
  for (const { 0: tag, 1: kind, index } of xml.matchAll(ROWS_AND_CELLS)) {
    const [, letters = '', digits] = PLACE.exec(tag) ?? []
    if (kind === 'row') {
      row = digits === undefined ? row + 1 : Number(digits)
      column = -1
      continue
    }
    column = letters === '' ? column + 1 : columnOf(letters.toUpperCase())
    if (digits !== undefined) {
      row = Number(digits)
      continue
    }
    const behindName = index + (/^<[\w:]+/.exec(tag)?.[0].length ?? 0)
    text += `${xml.slice(from, behindName)} r="${cellName(column, row)}"`
    from = behindName
    if (text.length > PIECE_CHARS) flush()
  }
  text += xml.slice(from)
  flush()
  return Buffer.concat(pieces)
}

/** Returns the number of a column from 0: `A` is 0, `AA` is 26. */
function columnOf(letters: string): number {
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 0x40, 0) - 1
}
