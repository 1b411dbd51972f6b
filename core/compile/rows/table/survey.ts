import { invalidField, type FieldProblem } from '../../../kernel/errors.ts'
import { takeTurns } from '../intake/turns.ts'
import type { ColumnType } from './columns/cell-types.ts'
import { Column } from './columns/column.ts'
import { guessHeader, type HeaderChoice } from './columns/header.ts'
import { namesOf } from './columns/names.ts'
import { chooseRoles, type ChosenRoles, type ColumnRole } from './columns/roles.ts'
import { Totals } from './columns/totals.ts'
import { HEAD_ROWS, isSameRow, standApart, titlesOf } from './layout.ts'
import type { TableMapping } from './mapping.ts'
import { blocksOf, isBlank, type Cell, type TableRecord, type TableSource } from './records.ts'
import { noAnswers, noRows, raggedProblem, tooMany, type RaggedRows } from './survey-problems.ts'

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

/** Rows that were counted, and the lines of the first ones. */
export interface PlacedRows {
  readonly count: number
  readonly lines: readonly number[]
}

/** Facts of a whole table, by which each row is read. */
export interface Survey {
  readonly header: HeaderChoice
  /** The row at which the table begins; undefined for objects. Rows above it are titles. */
  readonly first: TableRecord | undefined
  readonly titleRows: PlacedRows
  /** Rows below the header that repeat it, as printed pages do. */
  readonly repeatedHeaders: PlacedRows
  /** The last row where it is likely the total of the others; it is left out when the mapping says so. */
  readonly totalRows: PlacedRows
  /** Line of that row where it is left out; null where no row is. */
  readonly leftOutTotal: number | null
  readonly width: number
  readonly columns: readonly SurveyColumn[]
  readonly roles: ChosenRoles
  readonly rows: number
  readonly blankRows: number
  readonly ragged: RaggedRows
  /** Cells of the first rows, in the order of the columns. */
  readonly firstRows: readonly (readonly Cell[])[]
  /** Reasons to refuse a compile. */
  readonly problems: readonly FieldProblem[]
}

/** Bounds on a table. */
export interface TableBounds {
  readonly maxRows: number
  readonly maxColumns: number
  /** Looks for a row of totals, which examples may end with. */
  readonly findsTotals?: boolean
}

/**
 * Reads a table and decides how its rows are read: where it begins, header, names, roles and types of the columns. What a
 * compile must refuse is listed, so that a preview can show it. Throws `no_examples` for a table without rows,
 * `too_many_examples`, and what is wrong with the bytes, the quoting or the mapping.
 */
export async function surveyTable(source: TableSource, mapping: TableMapping, bounds: TableBounds): Promise<Survey> {
  const mayHaveTitles = source.kind !== 'objects' && mapping.header !== false
  const read = await readRows(source, mapping, bounds, mayHaveTitles)
  const isSure = read.header.isSure || read.areTitlesApart
  if (read.titles.length === 0 || (read.header.isPresent && isSure)) return settle(source, mapping, read)
  return settle(source, mapping, await readRows(source, mapping, bounds, false))
}

async function readRows(
  source: TableSource,
  mapping: TableMapping,
  bounds: TableBounds,
  mayHaveTitles: boolean,
): Promise<Read> {
  const isNamed = source.kind === 'objects'
  const columns: Column[] = []
  let first: TableRecord | undefined
  let rows = 0
  let blankRows = 0
  const ragged = { count: 0, lines: [] as number[], firstCells: 0 }
  const repeated = { count: 0, lines: [] as number[] }
  const firstRows: (readonly Cell[])[] = []
  const requireFewer = ({ line }: TableRecord): void => {
    if (rows + repeated.count > bounds.maxRows) throw tooMany(source.placeOf(line), bounds.maxRows)
  }
  const totals = bounds.findsTotals === true && !isNamed ? new Totals() : null
  /** The last row so far, taken with the next one. */
  let held: TableRecord | undefined
  const take = (record: TableRecord): void => {
    if (record.fault !== undefined) {
      if (first === undefined) throw record.fault
      rows++
      return
    }
    if (first === undefined && !isNamed) {
      first = record
      columns.push(...record.cells.map((cell) => new Column(cell, cell)))
      return
    }
    if (!isNamed && isSameRow(first, record)) {
      place(repeated, record)
      requireFewer(record)
      return
    }
    if (!isNamed && !isWidth(record, columns.length)) {
      if (ragged.count === 0) ragged.firstCells = record.cells.length
      place(ragged, record)
      return
    }
    if (totals !== null) {
      const earlier = held
      held = record
      if (earlier !== undefined) takeRow(earlier)
    } else takeRow(record)
  }
  const takeRow = (record: TableRecord): void => {
    rows++
    requireFewer(record)
    totals?.add(record.cells)
    while (isNamed && columns.length < record.cells.length) {
      columns.push(new Column(source.names()[columns.length], undefined))
    }
    if (firstRows.length < FIRST_ROWS) firstRows.push(record.cells)
    for (const [i, column] of columns.entries()) column.add(record.cells[i])
  }
  let head: TableRecord[] | null = mayHaveTitles ? [] : null
  let titles: readonly TableRecord[] = []
  let areTitlesApart = false
  const takeHead = (held: readonly TableRecord[]): void => {
    head = null
    titles = titlesOf(held)
    const below = held.slice(titles.length)
    areTitlesApart = standApart(titles, below, source.kind)
    for (const record of below) take(record)
  }
  const turns = takeTurns()
  for await (const block of blocksOf(source)) {
    for (const record of block) {
      const pause = turns.over()
      if (pause) await pause
      if (record.fault === undefined && record.cells.every(isBlank)) {
        blankRows++
        continue
      }
      if (head === null) take(record)
      else if (head.push(record) >= HEAD_ROWS) takeHead(head)
    }
  }
  if (head !== null) takeHead(head)
  const findHeader = () => headerOf(source, mapping, first, { columns, rows, repeats: repeated.count })
  let totalLine: number | null = null
  if (held !== undefined) {
    if (first !== undefined && !findHeader().isPresent) totals?.add(first.cells, 1 + repeated.count)
    if (totals?.isTotal(held.cells) === true) totalLine = held.line
    if (totalLine === null || mapping.totals !== 'skip') takeRow(held)
  }
  const header = findHeader()
  if (!header.isPresent && first !== undefined) {
    // Then the rows like the first one are rows too.
    rows += 1 + repeated.count
    firstRows.unshift(first.cells)
    for (const [i, cell] of first.cells.entries()) columns[i]?.add(cell, 1 + repeated.count)
  }
  if (rows === 0 && ragged.count > 0) throw invalidField(...raggedProblem(source, ragged, columns.length))
  if (rows === 0) throw noRows(first !== undefined)
  return { header, first, titles, areTitlesApart, columns, rows, blankRows, ragged, repeated, firstRows, totalLine }
}

function place(counted: { count: number; readonly lines: number[] }, { line }: TableRecord): void {
  counted.count++
  if (counted.lines.length < PLACES) counted.lines.push(line)
}

/** Returns true for a row that holds no example: a title above the table, its header, the header once more, a total. */
export function isBesideRows(
  { first, header, leftOutTotal }: Pick<Survey, 'first' | 'header' | 'leftOutTotal'>,
  record: TableRecord,
): boolean {
  if (first === undefined) return false
  if (record.line === leftOutTotal) return true
  return record.line < first.line || (header.isPresent && (record.line === first.line || isSameRow(first, record)))
}

/** Returns true for a row of this width; empty cells past it count for nothing. */
export function isWidth({ cells }: TableRecord, width: number): boolean {
  return cells.length === width || (cells.length > width && cells.slice(width).every(isBlank))
}

function headerOf(
  source: TableSource,
  mapping: TableMapping,
  first: TableRecord | undefined,
  { columns, ...counts }: { readonly columns: readonly Column[]; readonly rows: number; readonly repeats: number },
): HeaderChoice {
  if (source.kind === 'objects')
    return { isPresent: true, isSure: true, reason: 'the members of the objects are named' }
  const guess = guessHeader(
    first?.cells ?? [],
    columns.map(({ census }) => census),
    counts,
  )
  if (mapping.header === undefined) return guess
  // Where a table begins does not depend on whether the request says so, or the guess.
  return { isPresent: mapping.header, isSure: guess.isPresent && guess.isSure, reason: 'named in the request' }
}

interface Read extends Pick<Survey, 'header' | 'first' | 'rows' | 'blankRows' | 'ragged' | 'firstRows'> {
  readonly columns: readonly Column[]
  /** Rows above the first one. */
  readonly titles: readonly TableRecord[]
  /** True where the titles do not look like rows of the table. */
  readonly areTitlesApart: boolean
  /** Rows like the first one. */
  readonly repeated: PlacedRows
  /** Line of the row that is likely a total. */
  readonly totalLine: number | null
}

function settle(source: TableSource, mapping: TableMapping, read: Read): Survey {
  const { header, first, titles, columns, rows, blankRows, ragged, repeated, firstRows, totalLine } = read
  const problems: FieldProblem[] = []
  const report = (field: string, message: string): void => void problems.push({ field, message })
  const names =
    source.kind === 'objects' ? source.names() : namesOf(header.isPresent ? first?.cells : undefined, columns, report)
  if (ragged.count > 0 && mapping.ragged !== 'skip') report(...raggedProblem(source, ragged, columns.length))
  const roles = chooseRoles(
    columns.map(({ census, isDistinct, values }, i) => ({
      name: names[i] ?? '',
      filled: census.filled,
      isDistinct,
      values,
      isUnnamed: header.isPresent && first !== undefined && isBlank(first.cells[i]),
    })),
    mapping,
    { kind: source.kind, onProblem: report },
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
  return {
    header,
    first,
    titleRows: { count: titles.length, lines: titles.map(({ line }) => line) },
    repeatedHeaders: header.isPresent ? repeated : { count: 0, lines: [] },
    totalRows: totalLine === null ? { count: 0, lines: [] } : { count: 1, lines: [totalLine] },
    leftOutTotal: mapping.totals === 'skip' ? totalLine : null,
    width: columns.length,
    columns: settled,
    roles,
    rows,
    blankRows,
    ragged,
    firstRows,
    problems,
  }
}
