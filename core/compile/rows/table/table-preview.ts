import type { FieldProblem } from '../../../kernel/errors.ts'
import type { Json } from '../../../kernel/json/json.ts'
import type { IntakeBounds } from '../intake/bounds.ts'
import type { UnansweredRows } from '../intake/example.ts'
import { UnansweredCensus } from '../intake/unanswered.ts'
import { examplesOfObjects, examplesOfTable, problemsOfSheet } from './examples.ts'
import type { TableMapping } from './mapping.ts'
import { MAX_COLUMNS, type OpenedTable } from './open-table.ts'
import { countRepeats, type RepeatedRows } from './preview.ts'
import { surveyTable, type PlacedRows, type Survey } from './survey.ts'
import type { ReadSheet } from './workbook/workbook-task.ts'
import { CONTRADICTIONS_REFUSED_BELOW } from '../intake/census/contradictions.ts'
import { someOf } from './table-error.ts'
import { delimiterName, shownDelimiter } from './text/delimiter.ts'

const SAMPLE_CHARS = 200

/** Preview of a file: its reading and its contents. */
export interface TablePreview {
  readonly format: OpenedTable['format']
  readonly encoding: { readonly name: string; readonly reason: string } | null
  readonly delimiter: { readonly character: string; readonly name: string; readonly reason: string } | null
  readonly sheets: readonly string[] | null
  readonly sheet: { readonly name: string; readonly reason: string } | null
  readonly header: { readonly present: boolean; readonly reason: string }
  readonly columns: readonly {
    readonly name: string
    readonly role: Survey['columns'][number]['role']
    readonly type: Survey['columns'][number]['type']
    readonly type_reason: string
    readonly filled: number
    readonly empty: number
    readonly samples: readonly Json[]
  }[]
  readonly input: { readonly columns: readonly string[]; readonly reason: string }
  readonly output: { readonly column: string | null; readonly reason: string }
  readonly rows: number
  readonly blank_rows: number
  readonly title_rows: PlacedRows
  readonly repeated_headers: PlacedRows
  readonly total_rows: PlacedRows
  readonly ragged_rows: PlacedRows
  readonly unlabelled: number
  readonly unanswered: UnansweredRows
  readonly duplicates: RepeatedRows['duplicates']
  readonly contradictions: RepeatedRows['contradictions']
  /** Reasons to refuse a compile; empty when the file can be compiled as it is. */
  readonly problems: readonly FieldProblem[]
  readonly examples: RepeatedRows['examples']
  /** Cells of the first rows as the table has them, in the order of the columns; null for an absent one. */
  readonly firstRows: readonly (readonly Json[])[]
}

/** Examples of a table that are counted and shown. */
const EXAMPLES = 5

/**
 * Says how a compile would read a table. What would only refuse the compile is listed as a problem, and then the rows are
 * not counted. Throws what makes the table unreadable.
 */
export async function previewTable(
  table: OpenedTable,
  mapping: TableMapping,
  bounds: IntakeBounds,
  sheet: ReadSheet | undefined,
): Promise<TablePreview> {
  const survey = await surveyTable(table.source, mapping, {
    maxRows: bounds.maxRows,
    maxColumns: MAX_COLUMNS,
    findsTotals: true,
  })
  const problems = [...problemsOfSheet(sheet, survey), ...survey.problems]
  const unanswered = new UnansweredCensus(mapping.empty_answers, bounds.maxUnlabelled)
  const examples =
    table.examples === null
      ? examplesOfTable(table.source, survey, unanswered, bounds)
      : examplesOfObjects(table.examples(), unanswered, bounds)
  const repeats = problems.length > 0 ? NOTHING : await countRepeats(examples, EXAMPLES)
  const { encoding, delimiter } = table
  const character = delimiter && shownDelimiter(delimiter)
  const named = (role: string) => survey.columns.filter((column) => column.role === role).map(({ name }) => name)
  return {
    format: table.format,
    encoding: encoding && { name: encoding.name, reason: encoding.reason },
    delimiter:
      delimiter === null || character === null
        ? null
        : { character, name: delimiterName(character), reason: delimiter.reason },
    sheets: sheet?.sheets ?? null,
    sheet: sheet === undefined ? null : { name: sheet.sheet, reason: sheet.sheetReason },
    header: { present: survey.header.isPresent, reason: survey.header.reason },
    columns: survey.columns.map((column) => ({
      name: column.name,
      role: column.role,
      type: column.type,
      type_reason: column.typeReason,
      filled: column.filled,
      empty: column.empty,
      samples: column.samples.map((sample) => shortened(sample ?? null)),
    })),
    input: { columns: named('input'), reason: survey.roles.inputReason },
    output: { column: named('output')[0] ?? null, reason: survey.roles.outputReason },
    rows: survey.rows,
    blank_rows: survey.blankRows,
    title_rows: survey.titleRows,
    repeated_headers: survey.repeatedHeaders,
    total_rows: survey.totalRows,
    ragged_rows: { count: survey.ragged.count, lines: survey.ragged.lines },
    unlabelled: repeats.unlabelled,
    unanswered: unanswered.rows,
    duplicates: repeats.duplicates,
    contradictions: repeats.contradictions,
    problems: problems.length > 0 ? problems : problemsOfRows(repeats),
    examples: repeats.examples,
    firstRows: survey.firstRows.map((cells) => survey.columns.map((_, i) => shortened(cells[i] ?? null))),
  }
}

const NOTHING: RepeatedRows = {
  rows: 0,
  inputs: 0,
  duplicates: { count: 0, lines: [] },
  contradictions: { count: 0, shown: [] },
  examples: [],
  unlabelled: 0,
}

/** Returns the reasons for which the rows together are refused. */
function problemsOfRows({ rows, inputs, duplicates, contradictions }: RepeatedRows): readonly FieldProblem[] {
  if (inputs < 2) return [{ field: 'examples', message: 'must have at least two examples with different inputs' }]
  const [first] = contradictions.shown
  if (first === undefined || rows - duplicates.count >= CONTRADICTIONS_REFUSED_BELOW) return []
  const lines = first.answers.map(({ line }) => line)
  const message = `the same input has different answers in lines ${someOf(lines)}; keep the right row of each`
  return [{ field: `line[${lines[0] ?? 1}]`, message }]
}

function shortened(sample: Json): Json {
  if (typeof sample === 'string') return sample.length > SAMPLE_CHARS ? `${sample.slice(0, SAMPLE_CHARS)}…` : sample
  if (typeof sample !== 'object' || sample === null) return sample
  const text = JSON.stringify(sample)
  return text.length > SAMPLE_CHARS ? `${text.slice(0, SAMPLE_CHARS)}…` : sample
}
