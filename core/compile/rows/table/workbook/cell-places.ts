import { cellName } from '../table-error.ts'

/** Finds a cell that does not name its place. */
const UNPLACED = /<(?:\w+:)?c(?=[\s/>])(?![^<>]*\sr\s*=)/
const ROWS_AND_CELLS = /<(?:\w+:)?(row|c)(?=[\s/>])[^<>]*/g
const PLACE = /\sr\s*=\s*["']([A-Z]*)(\d+)["']/

/**
 * Returns a sheet in which every cell names its place, such as `B7`. ECMA-376 (part 1, 18.3.1.4 and 18.3.1.73) lets writers
 * leave the places of rows and cells out: each then follows the one before. The reader of cells needs them.
 */
export function withPlaces(sheet: Buffer): Buffer {
  const xml = sheet.toString('latin1')
  if (!UNPLACED.test(xml)) return sheet
  let row = 0
  let column = -1
  const placed = xml.replaceAll(ROWS_AND_CELLS, (tag, kind: string) => {
    const [, letters = '', digits] = PLACE.exec(tag) ?? []
    if (kind === 'row') {
      row = digits === undefined ? row + 1 : Number(digits)
      column = -1
      return tag
    }
    column = letters === '' ? column + 1 : columnOf(letters)
    if (digits !== undefined) return tag
    return tag.replace(/^<[\w:]+/, (name) => `${name} r="${cellName(column, row)}"`)
  })
  return Buffer.from(placed, 'latin1')
}

/** Returns the number of a column from 0: `A` is 0, `AA` is 26. */
function columnOf(letters: string): number {
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 0x40, 0) - 1
}
