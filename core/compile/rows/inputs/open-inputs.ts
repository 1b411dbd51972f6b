import { DomainError, invalidField, KERNEL_ERRORS } from '../../../kernel/errors.ts'
import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import type { IntakeBounds } from '../intake/bounds.ts'
import { typedCell } from '../table/columns/cell-types.ts'
import { shownDelimiter } from '../table/text/delimiter.ts'
import { parseItem, type JsonItem } from '../table/json/json-items.ts'
import type { TableMapping } from '../table/mapping.ts'
import {
  itemBounds,
  MAX_COLUMNS,
  openRows,
  type OpenedRows,
  type Reread,
  type TableFormat,
} from '../table/open-table.ts'
import { blocksOf, cellText, isBlank, type TableRecord, type TableSource } from '../table/records.ts'
import { problemsOfSheet } from '../table/examples.ts'
import { isBesideRows, isWidth, surveyTable, type Survey } from '../table/survey.ts'
import type { ReadSheet } from '../table/workbook/workbook-task.ts'
import { hasHeader } from './bare-column.ts'
import { chooseInputColumns, INPUT_NAMES, type InputColumns } from './input-columns.ts'
import type { InputShape } from './input-shape.ts'
import { nameOfPlace, type RowPlace } from './row-place.ts'

/** A row of a file that is run. */
export interface InputRow {
  readonly place: RowPlace
  /** The input; undefined for a row with a fault. */
  readonly value: Json | undefined
  /** Why the row has no input. */
  readonly fault: DomainError | null
  /** Texts of all cells of a table's row, as many as the file has columns; empty for JSON. */
  readonly cells: readonly string[]
}

/** A file of inputs, known well enough to be read row by row. */
export interface OpenedInputs {
  readonly format: 'csv' | 'jsonl' | 'json' | 'sheet'
  /** Names of the columns of a table; empty for JSON. */
  readonly columns: readonly string[]
  /** Character between the cells of a delimited text; null where rows have one cell without a delimiter, and for other formats. */
  readonly delimiter: string | null
  /** Columns that the inputs are read from, or the members of JSON that may hold them; empty where an item is the input. */
  readonly inputs: readonly string[]
  /** Rows that will be read; empty lines do not count. */
  readonly rows: number
  /** Rows of a table that are left out: titles above it, and repeated headers. */
  readonly leftOut: number
  /** The rows in blocks; each is read to its end before the next one. */
  read(): AsyncGenerator<Iterable<InputRow>>
}

/** A file of inputs, as far as its sender says what it is. */
export interface InputFile {
  readonly format: TableFormat
  readonly mapping: TableMapping
  readonly sheet?: ReadSheet | undefined
  /** True for the `inputs` of a request. */
  readonly isInline?: boolean
  /** True when items of JSON are the inputs themselves: an object with a member `input` is not unwrapped. */
  readonly isBare?: boolean
}

/** Recipe and bounds by which a file is read. */
export interface InputReading {
  readonly shape: InputShape
  readonly bounds: IntakeBounds
}

/**
 * Reads a file once or twice to learn its encoding, columns and number of rows. Afterwards a broken row has a fault with
 * its place, and the rows after it are read. Throws `no_rows`, `too_many_rows`, and what makes the file as a whole unreadable.
 */
export async function openInputs(file: InputFile, bytes: Reread, reading: InputReading): Promise<OpenedInputs> {
  const { format, mapping, sheet, isInline = false, isBare = false } = file
  const { bounds, shape } = reading
  const column = columnRead(mapping, shape)
  const named = {
    format,
    recovers: true,
    ...(sheet !== undefined && { sheet: sheet.sheet }),
    ...(column !== undefined && { column }),
  }
  const opened = await openRows(named, bytes, mapping, bounds).catch(explainEmpty)
  return opened.kind === 'items'
    ? await openItems(opened, { mapping, isInline, isBare }, reading)
    : await openCells(opened, { mapping, sheet }, { shape, bounds })
}

/** Name of the one column that a recipe of one value reads, where the examples or the request tell it. */
function columnRead({ header, input }: TableMapping, { members, column }: InputShape): string | undefined {
  if (members !== null || header === false) return undefined
  const [name, ...others] = input ?? [column ?? undefined]
  return others.length === 0 ? name : undefined
}

async function openItems(
  { format, items }: Extract<OpenedRows, { kind: 'items' }>,
  { mapping, isInline, isBare }: Pick<InputFile, 'mapping'> & Required<Pick<InputFile, 'isInline' | 'isBare'>>,
  { shape, bounds }: InputReading,
): Promise<OpenedInputs> {
  let rows = 0
  for await (const { line } of items()) requireFewer(++rows, line, bounds)
  if (rows === 0) throw noRows()
  const inputs = mapping.input ?? (isBare ? [] : inputNames(shape))
  const inputOf = mapping.input === undefined ? pickInput(inputs) : pickNamed(mapping.input, shape)
  const depth = itemBounds(bounds)
  const toRow = (item: JsonItem, index: number): InputRow => {
    const place = isInline ? { index } : { line: item.line }
    const name = nameOfPlace(place)
    try {
      return { place, value: inputOf(parseItem(item, depth, name), name), fault: null, cells: [] }
    } catch (error) {
      return { place, value: undefined, fault: faultOf(error), cells: [] }
    }
  }
  return {
    format,
    columns: [],
    delimiter: null,
    inputs,
    rows,
    leftOut: 0,
    async *read() {
      let index = 0
      for await (const item of items()) yield [toRow(item, index++)]
    },
  }
}

/** The input of a JSON row, made of its named members. */
function pickNamed(names: readonly string[], { members }: InputShape): (value: Json, place: string) => Json {
  const [only = '', ...others] = names
  return (value, place) => {
    const missing = isJsonObject(value) ? names.find((name) => !Object.hasOwn(value, name)) : only
    if (!isJsonObject(value) || missing !== undefined) {
      throw invalidField(place, `has no member ${JSON.stringify(missing)}`)
    }
    const isValue = others.length === 0 && members === null
    return isValue ? (value[only] ?? null) : Object.fromEntries(names.map((name) => [name, value[name] ?? null]))
  }
}

/** Members of JSON that may hold the input: `input` and alike, unless the recipe's own inputs have them. */
function inputNames({ members, column }: InputShape): readonly string[] {
  const known = column === null || members !== null ? [] : [column]
  return [...known, ...INPUT_NAMES].filter((name) => members?.has(name) !== true)
}

/** The input of a JSON row: the first of these members that it has, else the value itself. */
function pickInput(names: readonly string[]): (value: Json) => Json {
  return (value) => {
    const name = isJsonObject(value) ? names.find((one) => Object.hasOwn(value, one)) : undefined
    return name !== undefined && isJsonObject(value) ? (value[name] ?? null) : value
  }
}

async function openCells(
  { format, source, delimiter }: Extract<OpenedRows, { kind: 'table' }>,
  { mapping, sheet }: Pick<InputFile, 'mapping' | 'sheet'>,
  { shape, bounds }: InputReading,
): Promise<OpenedInputs> {
  // The roles of a compile do not matter here: only names, types and the number of rows are taken from the survey.
  const survey = await surveyInputs(source, mapping, shape).catch(explainEmpty)
  const [problem] = problemsOfSheet(sheet, survey)
  if (problem !== undefined) throw invalidField(problem.field, problem.message)
  const rows = survey.rows + survey.ragged.count
  requireFewer(rows, undefined, bounds)
  const doubled = survey.problems.find(({ field, message }) => field === 'header' && /twice|__proto__/.test(message))
  if (doubled !== undefined) throw invalidField(doubled.field, doubled.message)
  const names = survey.columns.map(({ name }) => name)
  const inputs = chooseInputColumns(survey.columns, mapping, shape)
  const toRow = (record: TableRecord): InputRow => rowOfCells(record, survey, inputs, source)
  return {
    format,
    columns: names,
    delimiter: delimiter && shownDelimiter(delimiter),
    inputs: inputs.columns.map(({ at }) => names[at] ?? ''),
    rows,
    leftOut: survey.titleRows.count + survey.repeatedHeaders.count,
    async *read() {
      const rowsOf = function* (block: Iterable<TableRecord>): Generator<InputRow> {
        for (const record of block) {
          if (record.fault === undefined && record.cells.every(isBlank)) continue
          if (!isBesideRows(survey, record)) yield toRow(record)
        }
      }
      for await (const block of blocksOf(source)) yield rowsOf(block)
    },
  }
}

/**
 * Surveys a table of inputs. A first row without a sign of a header is decided by `hasHeader` where it is that of a bare
 * column, and the name of the examples' column is known.
 */
async function surveyInputs(source: TableSource, mapping: TableMapping, { column }: InputShape): Promise<Survey> {
  const asked: TableMapping = { header: mapping.header, types: mapping.types, empty_answers: 'skip' }
  const bounds = { maxRows: Number.POSITIVE_INFINITY, maxColumns: MAX_COLUMNS }
  const survey = await surveyTable(source, asked, bounds)
  const { header, columns } = survey
  const isGiven = mapping.header !== undefined || mapping.input !== undefined
  if (column === null || isGiven || columns.length > 1 || !header.isPresent || header.isSure) return survey
  return hasHeader(survey, column, source) ? survey : await surveyTable(source, { ...asked, header: false }, bounds)
}

function rowOfCells(
  record: TableRecord,
  { width }: Survey,
  { columns, isValue }: InputColumns,
  source: TableSource,
): InputRow {
  const { line, cells, fault } = record
  const place = { line }
  const given = Array.from({ length: width }, (_, at) => cellText(cells[at]))
  const broken = given.findIndex((text) => !text.isWellFormed())
  const texts = broken < 0 ? given : given.map((text) => text.toWellFormed())
  if (broken >= 0) {
    const error = invalidField(
      source.placeOf(line, broken),
      'holds half of a character (a lone surrogate)',
      KERNEL_ERRORS.invalid_encoding,
    )
    return { place, value: undefined, fault: error, cells: texts }
  }
  if (fault !== undefined) return { place, value: undefined, fault, cells: texts }
  if (!isWidth(record, width)) {
    const message = `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, the first row has ${width}; correct the row, or check the delimiter`
    return { place, value: undefined, fault: invalidField(source.placeOf(line), message), cells: texts }
  }
  if (isValue) {
    const [only] = columns
    const cell = only === undefined ? null : typed(cells[only.at], only.type, source)
    return { place, value: cell, fault: null, cells: texts }
  }
  const value = Object.fromEntries(columns.map(({ at, member, type }) => [member, typed(cells[at], type, source)]))
  return { place, value, fault: null, cells: texts }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
/** A number of a sheet whose format shows zeros in front. */
const PADDED = /^0\d+$/

/** A cell as a value of the type; a text that is no such value stays a text, which the recipe judges. */
function typed(
  cell: TableRecord['cells'][number],
  type: InputColumns['columns'][number]['type'],
  { kind }: TableSource,
): Json {
  if (typeof cell !== 'string' || isBlank(cell)) return typedCell(cell, type)
  const text = cell.trim()
  const isNumber = NUMBER.test(text) || (kind === 'sheet' && PADDED.test(text))
  if (type === 'number' && !isNumber) return cell
  if (type === 'boolean' && !/^(?:true|false)$/i.test(text)) return cell
  return typedCell(cell, type)
}

function requireFewer(rows: number, line: number | undefined, { maxRows }: IntakeBounds): void {
  if (rows <= maxRows) return
  const message = `has more than ${maxRows} rows; send the file in parts`
  const field = line === undefined ? 'file' : `line[${line}]`
  throw COMPILE_ERRORS.too_many_rows(`${field}: ${message}`, {
    details: { fields: [{ field, message }], max: maxRows },
  })
}

function explainEmpty(error: unknown): never {
  throw COMPILE_ERRORS.no_examples.matches(error) ? noRows() : error
}

function noRows() {
  return invalidField('file', 'has no rows; add inputs below the header, or send one per line', COMPILE_ERRORS.no_rows)
}

function faultOf(error: unknown): DomainError {
  if (error instanceof DomainError) return error
  throw error
}
