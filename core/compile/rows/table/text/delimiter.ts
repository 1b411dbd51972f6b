import { DomainError } from '../../../../kernel/errors.ts'
import { RecordReader, type RecordBounds } from './records.ts'

/**
 * Delimiters that are looked for. Of two that cut equally well the earlier is taken: decimal commas are commoner than
 * semicolons in texts.
 */
const CANDIDATES = ['\t', ';', ',', '|'] as const
/** Lead of a tab over wider rows of another delimiter: texts have commas, and hardly ever tabs. */
const TAB_LEAD = 0.1
/** Stands between no cells: the unit separator of ASCII, which texts and spreadsheets do not have. */
export const NO_DELIMITER = '\u001f'
const NAMES: Readonly<Record<string, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'vertical bar',
  [NO_DELIMITER]: 'none',
}
/** A comma inside a number: digits before it, up to three after it. */
const DECIMAL_COMMA = /\d,\d{1,3}(?!\d)/g
/** The first line of a file that a spreadsheet wrote to name its delimiter. */
const DECLARED = /^sep=(.)\r?\n/

/** Delimiter of a text and the reason for it. */
export interface ChosenDelimiter {
  readonly delimiter: string
  readonly reason: string
  /** True when the first line only names the delimiter. */
  readonly isDeclared: boolean
}

/** Returns a word for a delimiter. */
export function delimiterName(delimiter: string): string {
  return NAMES[delimiter] ?? `"${delimiter}"`
}

/** Chooses the delimiter that cuts the start of a text into the most rows of one width, of at least two cells. */
export function chooseDelimiter(head: string, named: string | undefined, bounds: RecordBounds): ChosenDelimiter {
  const declared = DECLARED.exec(head)?.[1]
  if (named !== undefined) {
    return { delimiter: named, reason: 'named in the request', isDeclared: declared === named }
  }
  if (declared !== undefined) {
    return { delimiter: declared, reason: 'named in the first line of the file', isDeclared: true }
  }
  const scored = CANDIDATES.map((delimiter) => ({ delimiter, ...scoreOf(head, delimiter, bounds) }))
  const [best] = scored.toSorted((a, b) => b.score - a.score)
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

/**
 * Returns true for one column under a name without a delimiter: of the rows below it, most have one cell, or commas stand only
 * inside numbers such as `13,70 €`. No other reading of such a file has rows as wide as the first.
 */
function isOneColumn(head: string, scored: readonly Scored[]): boolean {
  if (scored.some(({ first }) => first !== 1)) return false
  if (scored.every(({ width }) => width < 2)) return true
  const [name, ...rows] = head.split(/\r\n?|\n/).filter((line) => line.trim() !== '')
  // The last row of a start may be cut off.
  const whole = rows.length > 1 ? rows.slice(0, -1) : rows
  if (name === undefined || whole.some((line) => /[\t;|"]/.test(line))) return false
  const cuts = whole.map((line) => line.split(',').length - 1)
  return cuts.every(
    (count, at) => count < 2 && whole[at]?.match(DECIMAL_COMMA)?.length === (count === 0 ? undefined : count),
  )
}

interface Scored {
  /** Cells of the first row. */
  readonly first: number
  readonly width: number
}

/** Rows of the commonest width, and a score that prefers agreement, then wider rows. */
function scoreOf(head: string, delimiter: string, bounds: RecordBounds) {
  const widths = widthsOf(head, delimiter, bounds)
  const counts = new Map<number, number>()
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1)
  const [[width, same] = [0, 0]] = [...counts].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])
  const rows = widths.length
  const lead = delimiter === '\t' ? TAB_LEAD : 0
  return {
    first: widths[0] ?? 1,
    width,
    same,
    rows,
    score: width < 2 ? 0 : same / rows + Math.min(width, 50) / 1000 + lead,
  }
}

function widthsOf(head: string, delimiter: string, bounds: RecordBounds): number[] {
  const widths: number[] = []
  const reader = new RecordReader(delimiter, bounds)
  try {
    for (const { cells } of reader.read(head)) widths.push(cells.length)
    // The last row of a start may be cut off.
    for (const last of reader.end()) if (widths.length < 2) widths.push(last.cells.length)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
  }
  return widths
}
