import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { leafHash } from '../../../ledger/merkle/frontier.ts'
import type { BatchFormat } from '../../../ledger/receipts/batch-receipt.ts'
import type { GuardedResult } from '../guard.ts'
import type { AnsweredRow, RowError } from './row-outcome.ts'

/** A row as it is sent, with its leaf in the Merkle tree. */
export interface RenderedRow {
  /** With its line end. */
  readonly text: string
  readonly leaf: Buffer
}

/** Writes the rows of a batch. */
export interface RowWriter {
  /** Text before the first row; empty for JSON lines. */
  readonly head: string
  row(answered: AnsweredRow): RenderedRow
  /** The row in whose place the batch stopped. It is no leaf. */
  stopped(number: number, error: Omit<RowError, 'line' | 'column'>): string
}

/** Columns of a table that answers are added to. */
export interface WrittenTable {
  readonly columns: readonly string[]
  readonly delimiter: string
}

/** Columns that follow those of the input. */
const ANSWER_COLUMNS = [
  'row',
  'output',
  'abstained',
  'confidence',
  'unlike_examples',
  'failed_checks',
  'error_code',
  'error',
] as const

/** Makes the writer of a form. CSV repeats the columns of the input; rows of JSON have one column, `input`. */
export function createRowWriter(format: BatchFormat, table: WrittenTable, hasReceipts: boolean): RowWriter {
  return format === 'jsonl' ? createLineWriter() : createCsvWriter(table, hasReceipts)
}

/** Members are written in the order of RFC 8785, so that a line without its receipt is the leaf. */
function createLineWriter(): RowWriter {
  const checksOf = createChecksText()
  return {
    head: '',
    row({ number, outcome }) {
      if (outcome.kind === 'error') {
        const text = canonicalJson({ error: withoutNulls(outcome.error), row: number })
        return { text: `${text}\n`, leaf: leafHash(text) }
      }
      const { result, inputHash, receipt } = outcome
      const { abstained, checks, confidence, output, unlikeExamples } = result
      const start = `{"abstained":${abstained},"checks":${checksOf(checks)},"confidence":${confidence},"input_hash":"${inputHash}","output":${canonicalJson(output)}`
      const end = `,"row":${number},"unlike_examples":${unlikeExamples}}`
      const text = start + end
      const sent = receipt === null ? text : `${start},"receipt":${canonicalJson(receipt)}${end}`
      return { text: `${sent}\n`, leaf: leafHash(text) }
    },
    stopped: (number, error) => `${canonicalJson({ error: { ...error }, resume_row: number, row: number })}\n`,
  }
}

function withoutNulls({ code, message, line, column }: RowError): Json {
  return { code, message, ...(line !== null && { line }), ...(column !== null && { column }) }
}

/** Most rows pass the same checks and share one list: its text is made once. */
function createChecksText(): (checks: GuardedResult['checks']) => string {
  let known: readonly string[] | undefined
  let text = ''
  return (checks) => {
    if (checks === null) return 'null'
    if (checks.failed.length > 0) return canonicalJson({ failed: checks.failed, passed: checks.passed })
    if (checks.passed !== known) {
      known = checks.passed
      text = canonicalJson({ failed: [], passed: checks.passed })
    }
    return text
  }
}

function createCsvWriter({ columns, delimiter }: WrittenTable, hasReceipts: boolean): RowWriter {
  const given = columns.length > 0 ? columns : ['input']
  const added = hasReceipts ? [...ANSWER_COLUMNS, 'receipt'] : ANSWER_COLUMNS
  // A column of the input keeps its name.
  const names = [...given, ...added.map((name) => freeName(name, given))]
  const quoted = createQuoting(delimiter)
  const lineOf = (cells: readonly string[]): string => `${cells.map(quoted).join(delimiter)}\r\n`
  const widthen = (cells: readonly string[], value: Json | undefined): readonly string[] =>
    columns.length > 0 ? cells : [value === undefined ? '' : cellOf(value)]
  const receiptCell = (receipt: Json | null): readonly string[] =>
    hasReceipts ? [receipt === null ? '' : canonicalJson(receipt)] : []
  return {
    head: lineOf(names),
    row({ number, row, outcome }) {
      const start = [...widthen(row.cells, row.value), String(number)]
      if (outcome.kind === 'error') {
        const cells = [...start, '', '', '', '', '', outcome.error.code, placed(outcome.error), ...receiptCell(null)]
        return { text: lineOf(cells), leaf: leafOfCells(cells) }
      }
      const { output, abstained, confidence, unlikeExamples, checks } = outcome.result
      const cells = [
        ...start,
        abstained ? '' : cellOf(output),
        String(abstained),
        confidence === null ? '' : String(confidence),
        unlikeExamples === null ? '' : String(unlikeExamples),
        checks === null ? '' : checks.failed.join(' '),
        '',
        '',
        ...receiptCell(outcome.receipt),
      ]
      return { text: lineOf(cells), leaf: leafOfCells(cells) }
    },
    stopped(number, { code, message }) {
      const empty = given.map(() => '')
      const cells = [...empty, String(number), '', '', '', '', '', code, `${message}; resume at row ${number}`]
      return lineOf([...cells, ...receiptCell(null)])
    },
  }
}

/** Returns the leaf of a CSV row: of the list of its cells, whatever the quoting. */
export function leafOfCells(cells: readonly string[]): Buffer {
  // Of well-formed texts, which all cells are, this is the RFC 8785 form.
  return leafHash(JSON.stringify(cells))
}

/** Returns the leaf of a JSON line: of its object without the receipt. */
export function leafOfLine(line: Readonly<Record<string, Json>>): Buffer {
  return leafHash(canonicalJson(Object.fromEntries(Object.entries(line).filter(([name]) => name !== 'receipt'))))
}

function freeName(name: string, given: readonly string[]): string {
  return given.includes(name) ? freeName(`svc_${name}`, given) : name
}

function createQuoting(delimiter: string): (cell: string) => string {
  return (cell) =>
    cell.includes(delimiter) || cell.includes('"') || cell.includes('\n') || cell.includes('\r')
      ? `"${cell.replaceAll('"', '""')}"`
      : cell
}

function cellOf(value: Json): string {
  if (typeof value === 'string') return value
  return value === null ? '' : canonicalJson(value)
}

function placed({ message, line, column }: RowError): string {
  if (line === null || message.startsWith('line[')) return message
  return column === null ? `line ${line}: ${message}` : `line ${line}, column ${column}: ${message}`
}
