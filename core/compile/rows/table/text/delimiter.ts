import { DomainError } from '../../../../kernel/errors.ts'
import { isOneColumn } from './one-column.ts'
import { areTextsBelow } from './texts-below.ts'
import { RecordReader, type RecordBounds } from './records.ts'

/**
 * Delimiters that are looked for. Of two that cut equally well the earlier is taken: decimal commas are commoner than
 * semicolons in texts.
 */
const CANDIDATES = ['\t', ';', ',', '|'] as const
/** Lead of a tab over wider rows of another delimiter: texts have commas, and hardly ever tabs. */
const TAB_LEAD = 0.1
/** Stands between no cells: the unit separator of ASCII, which texts and spreadsheets do not have. */
const NO_DELIMITER = '\u001f'
const NAMES: Readonly<Record<string, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'vertical bar',
}
/** The first line of a file that a spreadsheet wrote to name its delimiter. */
const DECLARED = /^sep=(.)\r?\n/

/** Delimiter of a text and the reason for it. */
export interface ChosenDelimiter {
  readonly delimiter: string
  readonly reason: string
  /** True when the first line only names the delimiter. */
  readonly isDeclared: boolean
}

/** The delimiter as people see it; null where each row is one cell without one. */
export function shownDelimiter({ delimiter }: ChosenDelimiter): string | null {
  return delimiter === NO_DELIMITER ? null : delimiter
}

/** Returns a word for a delimiter. */
export function delimiterName(delimiter: string): string {
  return NAMES[delimiter] ?? `"${delimiter}"`
}

/**
 * Chooses the delimiter that cuts the start of a text into the most rows of one width, of at least two cells; none where each
 * row is a text below the name of the column that is read.
 */
export function chooseDelimiter(
  head: string,
  named: string | undefined,
  bounds: RecordBounds,
  column?: string,
): ChosenDelimiter {
  const declared = DECLARED.exec(head)?.[1]
  if (named !== undefined) {
    return { delimiter: named, reason: 'named in the request', isDeclared: declared === named }
  }
  if (declared !== undefined) {
    return { delimiter: declared, reason: 'named in the first line of the file', isDeclared: true }
  }
  const scored = CANDIDATES.map((delimiter) => ({ delimiter, ...scoreOf(head, delimiter, bounds) }))
  const [best] = scored.toSorted((a, b) => b.score - a.score)
  if (column !== undefined && areTextsBelow(column, head, scored)) {
    const reason = `each row is a text below ${JSON.stringify(column)}`
    return { delimiter: NO_DELIMITER, reason, isDeclared: false }
  }
  if (isOneColumn(head, scored)) {
    return { delimiter: NO_DELIMITER, reason: 'no delimiter was found: each row is one cell', isDeclared: false }
  }
  if (best === undefined || best.width < 2) {
    return { delimiter: ',', reason: 'no delimiter was found: each row is one cell', isDeclared: false }
  }
  const share = best.same === best.rows ? `all of the first ${best.rows}` : `${best.same} of the first ${best.rows}`
  const reason = `it cuts ${share} rows into ${best.width} cells each`
  return { delimiter: best.delimiter, reason, isDeclared: false }
}

/** Rows of the commonest width, and a score that prefers agreement, then wider rows. */
function scoreOf(head: string, delimiter: string, bounds: RecordBounds) {
  const cut = rowsOf(head, delimiter, bounds)
  const widths = cut.map((cells) => cells.length)
  const counts = new Map<number, number>()
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1)
  const [[width, same] = [0, 0]] = [...counts].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])
  const rows = widths.length
  const lead = delimiter === '\t' ? TAB_LEAD : 0
  return { cut, widths, width, same, rows, score: width < 2 ? 0 : same / rows + Math.min(width, 50) / 1000 + lead }
}

/** Cells of the rows, as far as these can be read. */
function rowsOf(head: string, delimiter: string, bounds: RecordBounds): (readonly string[])[] {
  const rows: (readonly string[])[] = []
  const reader = new RecordReader(delimiter, bounds)
  try {
    for (const { cells } of reader.read(head)) rows.push(cells)
    // The last row of a start may be cut off.
    for (const last of reader.end()) if (rows.length < 2) rows.push(last.cells)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
  }
  return rows
}
