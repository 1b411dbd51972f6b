import { invalidField, type FieldProblem } from '../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import { KeyTable, shortHash } from '../intake/census/key-table.ts'
import { takeTurns } from '../intake/turns.ts'
import { ColumnCensus, type ColumnType } from './columns/cell-types.ts'
import { guessHeader, type HeaderChoice } from './columns/header.ts'
import { namesOf } from './columns/names.ts'
import { chooseRoles, type ChosenRoles, type ColumnRole } from './columns/roles.ts'
import type { TableMapping } from './mapping.ts'
import { blocksOf, cellText, isBlank, type Cell, type TableRecord, type TableSource } from './records.ts'
import { someOf } from './table-error.ts'

const SAMPLES = 5
const FEW_VALUES = 8
const PLACES = 20
const FIRST_ROWS = 20

/** One column of a table, and how it is read. */
export interface SurveyColumn {
  readonly name: string
  readonly role: ColumnRole
  readonly type: ColumnType
  readonly typeReason: string
  readonly filled: number
  readonly empty: number
  readonly samples: readonly Cell[]
}

/** Facts of a whole table, by which each row is read. */
export interface Survey {
  readonly header: HeaderChoice
  readonly width: number
  readonly columns: readonly SurveyColumn[]
  readonly roles: ChosenRoles
  readonly rows: number
  readonly blankRows: number
  readonly ragged: { readonly count: number; readonly lines: readonly number[]; readonly firstCells: number }
  /** Cells of the first rows, in the order of the columns. */
  readonly firstRows: readonly (readonly Cell[])[]
  /** Reasons to refuse a compile. */
  readonly problems: readonly FieldProblem[]
}

/** Bounds on a table. */
export interface TableBounds {
  readonly maxRows: number
  readonly maxColumns: number
}

/** Facts of one column while its cells are read. */
class Column {
  readonly census: ColumnCensus
  readonly samples: Cell[] = []
  readonly #ids: KeyTable | null
  #isDistinct = true
  #values: Set<string> | null

  constructor(name: Cell, first: Cell) {
    this.census = new ColumnCensus(first)
    const folded = typeof name === 'string' ? name.trim() : ''
    this.#ids = folded === 'id' ? new KeyTable() : null
    this.#values = folded === 'kind' ? new Set() : null
  }

  get isDistinct(): boolean {
    return this.#isDistinct
  }

  get values(): readonly string[] | null {
    return this.#values === null ? null : [...this.#values]
  }

  add(cell: Cell): void {
    this.census.add(cell)
    if (isBlank(cell)) return
    if (this.samples.length < SAMPLES && !this.samples.includes(cell)) this.samples.push(cell)
    if (this.#ids !== null && this.#ids.put(shortHash(cellText(cell)), 0).earlierTag !== null) this.#isDistinct = false
    this.#values?.add(cellText(cell))
    if (this.#values !== null && this.#values.size > FEW_VALUES) this.#values = null
  }
}

/**
 * Reads a table once and decides how its rows are read: header, names, roles and types of the columns. What a compile
 * must refuse is listed, so that a preview can show it. Throws `no_examples` for a table without rows,
 * `too_many_examples`, and what is wrong with the bytes, the quoting or the mapping.
 */
export async function surveyTable(source: TableSource, mapping: TableMapping, bounds: TableBounds): Promise<Survey> {
  const isNamed = source.kind === 'objects'
  const columns: Column[] = []
  let first: TableRecord | undefined
  let rows = 0
  let blankRows = 0
  const ragged = { count: 0, lines: [] as number[], firstCells: 0 }
  const firstRows: (readonly Cell[])[] = []
  const turns = takeTurns()
  for await (const block of blocksOf(source)) {
    for (const record of block) {
      const pause = turns.over()
      if (pause) await pause
      if (record.fault !== undefined) {
        if (first === undefined) throw record.fault
        rows++
        continue
      }
      if (record.cells.every(isBlank)) {
        blankRows++
        continue
      }
      if (first === undefined && !isNamed) {
        first = record
        columns.push(...record.cells.map((cell) => new Column(cell, cell)))
        continue
      }
      if (!isNamed && !isWidth(record, columns.length)) {
        if (ragged.count++ === 0) ragged.firstCells = record.cells.length
        if (ragged.lines.length < PLACES) ragged.lines.push(record.line)
        continue
      }
      if (++rows > bounds.maxRows) throw tooMany(source.placeOf(record.line), bounds.maxRows)
      while (isNamed && columns.length < record.cells.length) {
        columns.push(new Column(source.names()[columns.length], undefined))
      }
      if (firstRows.length < FIRST_ROWS) firstRows.push(record.cells)
      for (const [i, column] of columns.entries()) column.add(record.cells[i])
    }
  }
  const header = headerOf(source, mapping, first, columns)
  if (!header.isPresent && first !== undefined) {
    rows++
    firstRows.unshift(first.cells)
    for (const [i, cell] of first.cells.entries()) columns[i]?.add(cell)
  }
  if (rows === 0) throw noRows(first !== undefined)
  return settle(source, mapping, { header, first, columns, rows, blankRows, ragged, firstRows })
}

/** Returns true for a row of this width; empty cells past it count for nothing. */
export function isWidth({ cells }: TableRecord, width: number): boolean {
  return cells.length === width || (cells.length > width && cells.slice(width).every(isBlank))
}

function headerOf(
  source: TableSource,
  mapping: TableMapping,
  first: TableRecord | undefined,
  columns: readonly Column[],
): HeaderChoice {
  if (source.kind === 'objects') return { isPresent: true, reason: 'the members of the objects are named' }
  if (mapping.header !== undefined) return { isPresent: mapping.header, reason: 'named in the request' }
  return guessHeader(
    first?.cells ?? [],
    columns.map(({ census }) => census),
  )
}

interface Read extends Pick<Survey, 'header' | 'rows' | 'blankRows' | 'ragged' | 'firstRows'> {
  readonly first: TableRecord | undefined
  readonly columns: readonly Column[]
}

function settle(source: TableSource, mapping: TableMapping, read: Read): Survey {
  const { header, first, columns, rows, blankRows, ragged, firstRows } = read
  const problems: FieldProblem[] = []
  const report = (field: string, message: string): void => void problems.push({ field, message })
  const names =
    source.kind === 'objects' ? source.names() : namesOf(header.isPresent ? first?.cells : undefined, columns, report)
  if (ragged.count > 0 && mapping.ragged !== 'skip') report(...raggedProblem(source, ragged, columns.length))
  const roles = chooseRoles(
    columns.map(({ census, isDistinct, values }, i) => ({
      name: names[i] ?? '',
      isEmpty: census.filled === 0,
      isDistinct,
      values,
    })),
    mapping,
    report,
  )
  const isSingle = roles.roles.filter((role) => role === 'input').length === 1
  const settled = columns.map(({ census, samples }, i): SurveyColumn => {
    const role = roles.roles[i] ?? 'ignored'
    const name = names[i] ?? ''
    const isExact = role === 'output' || (role === 'input' && isSingle)
    const chosen = census.decide(name, { isExact, hasTypes: source.kind === 'objects' })
    const empty = rows - census.filled
    const mustBeText = source.kind !== 'objects' && (mapping.types === 'text' || role === 'id' || role === 'kind')
    const lacksAnswers = source.kind !== 'objects' && role === 'output' && empty > 0 && mapping.empty_answers === 'text'
    if (role === 'output' && census.filled === 0 && mapping.empty_answers !== 'text' && source.kind !== 'objects') {
      report('mapping.output', noAnswers(name))
    }
    const type = mustBeText || lacksAnswers ? 'text' : chosen.type
    const typeReason =
      type === chosen.type
        ? chosen.reason
        : mapping.types === 'text'
          ? 'named in the request'
          : lacksAnswers
            ? 'some answers are empty texts'
            : 'it names or marks rows'
    return { name, role, type, typeReason, filled: census.filled, empty, samples }
  })
  return { header, width: columns.length, columns: settled, roles, rows, blankRows, ragged, firstRows, problems }
}

function raggedProblem(
  source: TableSource,
  { count, lines, firstCells }: Survey['ragged'],
  width: number,
): readonly [string, string] {
  const [line = 1, ...others] = lines
  const more =
    count > 1
      ? ` (${count > 2 ? 'lines' : 'line'} ${someOf(others, count - 1)} ${count > 2 ? 'differ' : 'differs'} too)`
      : ''
  const cells = firstCells === 1 ? '1 cell' : `${firstCells} cells`
  return [
    source.placeOf(line),
    `has ${cells}, the first row has ${width}${more}; correct the row, check the delimiter, or leave such rows out (\`ragged: "skip"\`)`,
  ]
}

function noAnswers(name: string): string {
  return `${JSON.stringify(name)} has no answer in any row; fill some, or name another column`
}

function noRows(hasHeader: boolean) {
  const message = hasHeader
    ? 'holds a header and no rows; add rows with inputs and answers below it'
    : 'is empty; save the table again, with a row of names and the examples below it'
  return invalidField('file', message, COMPILE_ERRORS.no_examples)
}

function tooMany(field: string, max: number) {
  const message = `more than ${max} rows; a compile learns from a sample, so keep the first ${max} or fewer`
  return COMPILE_ERRORS.too_many_examples(`${field}: ${message}`, { details: { fields: [{ field, message }], max } })
}
