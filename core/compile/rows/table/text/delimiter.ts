import { DomainError } from '../../../../kernel/errors.ts'
import { isOneColumn } from './one-column.ts'
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
 * Chooses the delimiter that cuts the start of a text into the most rows of one width, of at least two cells; none below a
 * first line that is the name of the only column.
 */
export function chooseDelimiter(
  head: string,
  named: string | undefined,
  bounds: RecordBounds,
  onlyColumn?: string,
): ChosenDelimiter {
  const declared = DECLARED.exec(head)?.[1]
  if (named !== undefined) {
    return { delimiter: named, reason: 'named in the request', isDeclared: declared === named }
  }
  if (declared !== undefined) {
    return { delimiter: declared, reason: 'named in the first line of the file', isDeclared: true }
  }
  if (onlyColumn !== undefined && isNameAlone(head, onlyColumn)) {
    return {
      delimiter: NO_DELIMITER,
      reason: `the first row is ${JSON.stringify(onlyColumn)} alone`,
      isDeclared: false,
    }
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

/** True where the first line holds a name and nothing else, in any letter case. */
function isNameAlone(head: string, name: string): boolean {
  const [first = ''] = head.trimStart().split(/[\r\n]/, 1)
  return (
    first
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase() === name.toLowerCase()
  )
}

/** Rows of the commonest width, and a score that prefers agreement, then wider rows. */
function scoreOf(head: string, delimiter: string, bounds: RecordBounds) {
  const widths = widthsOf(head, delimiter, bounds)
  const counts = new Map<number, number>()
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1)
  const [[width, same] = [0, 0]] = [...counts].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])
  const rows = widths.length
  const lead = delimiter === '\t' ? TAB_LEAD : 0
  return { widths, width, same, rows, score: width < 2 ? 0 : same / rows + Math.min(width, 50) / 1000 + lead }
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
