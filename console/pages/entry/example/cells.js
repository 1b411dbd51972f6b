import { textOf } from '../../../parts/table/difference.js'
import { cellsOf, openRecords } from '../../artifacts/batch/csv.js'
/** @typedef {import('../../compile/use-preview.js').Preview} Preview */
/**
 * A table as the page shows it.
 *
 * @typedef {object} Cells
 * @property {readonly string[]} columns
 * @property {number} answerAt place of the column with the answers
 * @property {readonly Row[]} rows the first rows of the table
 * @property {number} count of all rows
 */
/**
 * @typedef {object} Row
 * @property {readonly string[]} cells as they were given
 * @property {string} [filled] the answer for a row that came without one
 * @property {string} [why] there is no answer, for this reason
 * @property {boolean} [isUnlike] whether the input is unlike the examples
 */

/** Rows that are shown. */
export const SHOWN_ROWS = 100

/**
 * Returns the first rows: of a delimited text its cells as the service reads them, of another file those that the
 * service shows. Undefined where no column holds answers.
 *
 * @param {File} file
 * @param {Preview} preview
 * @returns {Promise<Cells | undefined>}
 */
export async function readCells(file, preview) {
  const { format, delimiter, encoding, header, output } = preview
  if (output.column === null) return undefined
  if (format !== 'csv' || delimiter === null) return cellsShown(preview, output.column)
  const text = decoded(await file.arrayBuffer(), encoding?.name)
  // A lone carriage return ends a line as well.
  const records = openRecords().push(`${text.replace(/\r\n?/g, '\n')}\n`)
  const all = records
    .map((record) => cellsOf(record, delimiter.character))
    .filter((cells) => cells.some((cell) => cell !== ''))
  const [head = []] = all
  const columns = header.present ? head.map((cell) => cell.trim()) : head.map((_, place) => `column_${place + 1}`)
  const rows = header.present ? all.slice(1) : all
  const answerAt = columns.indexOf(output.column)
  if (answerAt === -1) return undefined
  return { columns, answerAt, count: rows.length, rows: rows.slice(0, SHOWN_ROWS).map((cells) => ({ cells })) }
}

/**
 * @param {Preview} preview
 * @param {string} answer
 * @returns {Cells | undefined}
 */
function cellsShown({ columns, first_rows: first, rows: count }, answer) {
  const names = columns.map(({ name }) => name)
  const answerAt = names.indexOf(answer)
  if (answerAt === -1) return undefined
  return {
    columns: names,
    answerAt,
    count,
    rows: first.map((cells) => ({ cells: cells.map((cell) => (cell === null ? '' : textOf(cell))) })),
  }
}

/**
 * @param {ArrayBuffer} bytes
 * @param {string} [encoding]
 */
function decoded(bytes, encoding = 'utf-8') {
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    // An encoding that the browser does not know by this name.
    return new TextDecoder().decode(bytes)
  }
}

/**
 * Returns a table as CSV, with the filled answers in their places.
 *
 * @param {Cells} table
 */
export function csvOf({ columns, answerAt, rows }) {
  const lines = rows.map(({ cells, filled }) =>
    columns.map((_, place) => (place === answerAt && filled !== undefined ? filled : (cells[place] ?? ''))),
  )
  return [columns, ...lines].map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('')
}

/** @param {string} cell */
function quoted(cell) {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
