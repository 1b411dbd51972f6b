import type { z } from 'zod'
import type { TableView } from '../../core/compile/wire/jobs/mapping.ts'
import type { UnansweredView } from '../../core/compile/wire/jobs/job.ts'
import { inFlags } from '../compile/files/mapping-options.ts'
import { paint } from './output.ts'
import { formatFacts, formatTable, plainText } from './table.ts'

const SAMPLES_CHARS = 48
const FORMATS = { csv: 'delimited text', jsonl: 'JSONL', json: 'JSON', sheet: 'workbook' } as const

/** A file as a compile would read it, in words. */
export function describeTable(table: z.input<typeof TableView>): string {
  const { columns, problems } = table
  const cells = columns.map(({ name, role, type, filled, empty, samples }) => [
    plainText(name),
    role === 'output' ? 'answer' : role,
    type,
    String(filled),
    String(empty),
    cut(samples.map((sample) => plainText(typeof sample === 'string' ? sample : JSON.stringify(sample))).join(' · ')),
  ])
  const blocks = [
    formatFacts(factsOf(table)),
    formatTable(['COLUMN', 'ROLE', 'TYPE', 'FILLED', 'EMPTY', 'SAMPLES'], cells),
    ...describeContradictions(table),
    problems.length === 0
      ? 'Ready to compile.'
      : [
          paint('red', 'A compile would be refused:'),
          ...problems.map(({ field, message }) => `  ${inFlags(plainText(`${field}: ${message}`))}`),
        ].join('\n'),
  ]
  return blocks.join('\n\n')
}

function factsOf(table: z.input<typeof TableView>): [string, string][] {
  const { encoding, delimiter, sheet, sheets, header, input, output, duplicates, contradictions, problems } = table
  const facts: [string, string][] = [['format', FORMATS[table.format]]]
  if (sheet !== null) {
    const all = sheets !== null && sheets.length > 1 ? `; sheets: ${sheets.join(', ')}` : ''
    facts.push(['sheet', plainText(`${sheet.name} (${inFlags(sheet.reason)}${all})`)])
  }
  if (encoding !== null) facts.push(['encoding', `${encoding.name} (${encoding.reason})`])
  if (delimiter !== null) facts.push(['delimiter', plainText(`${delimiter.name} (${delimiter.reason})`)])
  else if (table.format === 'csv') facts.push(['delimiter', 'none (each row is one cell)'])
  facts.push(['header', plainText(`${header.present ? 'yes' : 'no'} (${header.reason})`)])
  facts.push(['input', plainText(`${input.columns.join(', ')} (${input.reason})`)])
  facts.push(['answer', plainText(`${output.column ?? 'none'} (${output.reason})`)])
  facts.push(['rows', String(table.rows)])
  if (table.title_rows.count > 0) facts.push(['title', `left out: ${someLines(table.title_rows)}`])
  if (table.repeated_headers.count > 0) {
    facts.push(['repeated', `the header again, left out: ${someLines(table.repeated_headers)}`])
  }
  if (table.ragged_rows.count > 0)
    facts.push(['ragged', `${table.ragged_rows.count} rows: ${someLines(table.ragged_rows)}`])
  if (table.total_rows.count > 0) {
    facts.push(['total', `likely: ${someLines(table.total_rows)} (--totals skip: left out)`])
  }
  if (table.unanswered.count > 0) {
    facts.push(['no answer', `${describeUnanswered(table.unanswered)} (--empty-answers text: they are empty texts)`])
  }
  if (problems.length > 0) return facts
  facts.push(['duplicates', duplicates.count === 0 ? '0' : `${duplicates.count}: ${someLines(duplicates)}`])
  facts.push(['contradictions', String(contradictions.count)])
  return facts
}

/** Says how many rows have no answer, and where: "3 rows have no answer: not learned from (lines 4, 7, 9)". */
export function describeUnanswered({ count, lines }: z.input<typeof UnansweredView>): string {
  const places = lines.length === 0 ? '' : ` (${someLines({ count, lines })})`
  return `${count} ${count === 1 ? 'row has' : 'rows have'} no answer: not learned from${places}`
}

function describeContradictions({ contradictions: { shown } }: z.input<typeof TableView>): string[] {
  if (shown.length === 0) return []
  const rows = shown.flatMap(({ input, answers }) =>
    answers.map(({ line, output }) => [String(line), cut(JSON.stringify(input)), cut(JSON.stringify(output))]),
  )
  return [`The same input with different answers:\n${formatTable(['LINE', 'INPUT', 'ANSWER'], rows)}`]
}

function someLines({ count, lines }: { readonly count: number; readonly lines: readonly number[] }): string {
  const word = lines.length === 1 ? 'line' : 'lines'
  return `${word} ${lines.join(', ')}${count > lines.length ? ', …' : ''}`
}

function cut(text: string): string {
  const plain = plainText(text)
  return plain.length > SAMPLES_CHARS ? `${plain.slice(0, SAMPLES_CHARS - 1)}…` : plain
}
