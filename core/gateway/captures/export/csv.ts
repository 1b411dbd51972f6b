import type { ExportedCapture } from './export-row.ts'
import { EXPORT_COLUMNS, type Cell } from './columns.ts'

/** The line of names. */
export const CSV_HEAD = `${EXPORT_COLUMNS.map(({ name }) => name).join(',')}\r\n`

/** Beginnings that spreadsheet programs take for a formula. */
const FORMULA = /^[=+\-@\t\r\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}]/u
const QUOTED = /[",\r\n]/

/**
 * A capture as a line of CSV (RFC 4180). A text that a spreadsheet program would take for a formula begins with an
 * apostrophe.
 */
export function csvLine(capture: ExportedCapture): string {
  return `${EXPORT_COLUMNS.map(({ valueOf }) => cell(valueOf(capture))).join(',')}\r\n`
}

function cell(value: Cell): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const safe = FORMULA.test(value) ? `'${value}` : value
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
