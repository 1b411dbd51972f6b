import { z } from 'zod'
import { EMPTY_ANSWERS } from '../../rows/intake/unanswered.ts'
import { ENCODINGS } from '../../rows/table/mapping.ts'
import { MAX_COLUMNS } from '../../rows/table/open-table.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'

const ColumnName = z.string().min(1).max(200)

/** Reading of a file as examples. Absent fields are guessed from the file; a preview shows the guesses. */
export const Mapping = z
  .object({
    input: z
      .array(ColumnName)
      .min(1)
      .max(MAX_COLUMNS)
      .meta({
        description:
          'Input columns. One is the value itself, several are the members of an object. When absent: the column `input` or `prompt`, else all columns but the answer',
        example: ['first', 'last'],
      }),
    output: ColumnName.meta({
      description:
        'The column of the answer. When absent: a column named `output`, `answer`, `label` or alike, else the last',
      example: 'initials',
    }),
    sheet: z.string().min(1).max(100).meta({ description: 'Sheet of a workbook: its name, or its number from 1' }),
    delimiter: z
      .string()
      .regex(/^[^"\r\n\ud800-\udfff]$/u, { error: 'must be one character, other than a quotation mark or a line end' })
      .meta({ description: 'The character between cells', example: ';' }),
    encoding: z.enum(ENCODINGS).meta({ description: 'Encoding of a text file', example: 'windows-1252' }),
    header: z.boolean().meta({
      description:
        'Whether the first row holds names; `column_1` and so on name columns without. With false, rows above a table count as its rows',
    }),
    ragged: z
      .enum(['refuse', 'skip'])
      .meta({ description: 'Rows with another number of cells than the first: refused when absent, or left out' }),
    totals: z.enum(['keep', 'skip']).meta({
      description:
        'The last row where it is likely the total of the others (`total_rows` of a preview): an example as the others, when absent, or left out',
    }),
    types: z.enum(['auto', 'text']).meta({
      description:
        '`auto`, when absent: a column becomes numbers or booleans when all its values are such; codes with leading zeros, long digit strings and numbers that JSON would write otherwise in an answer stay texts. `text`: all cells are texts',
    }),
    empty_answers: z.enum(EMPTY_ANSWERS).meta({
      description:
        'Rows without an answer: an empty cell, a JSON null or an absent member. `unlabelled`, when absent: not learned from, and kept as inputs to fill. `skip`: left out. `text`: the answer is the empty text; of an example, a JSON null is the answer null',
    }),
  })
  .partial()
  .meta({ id: 'TableMapping' })

const Problem = z.object({ field: z.string(), message: z.string() })
const Lines = z.object({ count: z.int(), lines: z.array(z.int()).meta({ description: 'The first 20' }) })

/** Preview of a file: its reading and its contents. */
export const TableView = z
  .object({
    format: z.enum(['csv', 'jsonl', 'json', 'sheet']),
    encoding: z.object({ name: z.string(), reason: z.string() }).nullable(),
    delimiter: z.object({ character: z.string(), name: z.string(), reason: z.string() }).nullable(),
    sheets: z.array(z.string()).nullable(),
    sheet: z.object({ name: z.string(), reason: z.string() }).nullable(),
    header: z.object({ present: z.boolean(), reason: z.string() }),
    columns: z.array(
      z.object({
        name: z.string(),
        role: z.enum(['input', 'output', 'id', 'kind', 'ignored']),
        type: z.enum(['text', 'number', 'boolean', 'json']),
        type_reason: z.string(),
        filled: z.int(),
        empty: z.int(),
        samples: z.array(JsonValue),
      }),
    ),
    input: z.object({ columns: z.array(z.string()), reason: z.string() }),
    output: z.object({ column: z.string().nullable(), reason: z.string() }),
    rows: z.int(),
    blank_rows: z.int(),
    title_rows: Lines.meta({ description: 'Rows above the table, such as its title: left out' }),
    repeated_headers: Lines.meta({ description: 'Rows below the header that repeat it: left out' }),
    total_rows: Lines.meta({
      description:
        'The last row where it is likely the total of the others: its amounts are the sums of their columns. Left out only with `totals: "skip"`',
    }),
    ragged_rows: Lines,
    unlabelled: z.int().meta({ description: 'Rows that are kept as inputs without an answer' }),
    unanswered: Lines.meta({ description: 'Rows without an answer, kept or left out: not learned from' }),
    duplicates: Lines,
    contradictions: z.object({
      count: z.int(),
      shown: z.array(z.object({ input: JsonValue, answers: z.array(z.object({ line: z.int(), output: JsonValue })) })),
    }),
    problems: z
      .array(Problem)
      .meta({ description: 'What a compile would be refused for; the rows are not counted then' }),
    examples: z.array(z.object({ input: JsonValue, output: JsonValue })),
    first_rows: z.array(z.array(JsonValue)).meta({
      description: 'The first 20 rows as they stand in the file: a cell for each column, null where it is absent',
    }),
  })
  .meta({ id: 'TableView' })
