import { DomainError } from '../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import type { IntakeBounds } from '../intake/bounds.ts'
import type { Example } from '../intake/example.ts'
import { UnansweredCensus } from '../intake/unanswered.ts'
import { examplesOfObjects, examplesOfTable, problemsOfSheet, requireSound, type PlacedExample } from './examples.ts'
import type { TableMapping } from './mapping.ts'
import { MAX_COLUMNS, openTable, type Reread, type TableFormat } from './open-table.ts'
import { surveyTable, type Survey } from './survey.ts'
import { someOf } from './table-error.ts'
import type { ReadSheet } from './workbook/workbook-task.ts'

/** Contradictions are named in tables of fewer distinct rows than this; lines of more rows are not kept. */
const PLACED_ROWS = 10_000

/** A file of examples with what is known of it. */
export interface ExampleFile {
  readonly format: TableFormat
  readonly mapping: TableMapping
  readonly sheet?: ReadSheet | undefined
}

/** Examples of a file, with the lines that they come from. */
export interface FileExamples {
  readonly examples: AsyncGenerator<Example>
  /** Returns an error of the examples as a whole with lines in place of ids, where it names rows by their ids. */
  readonly withLines: (error: unknown) => unknown
  /** Rows without an answer; complete once the examples have ended. */
  readonly unanswered: UnansweredCensus
  /** Returns the column that holds the inputs, where it is one; known once the examples have ended. */
  readonly inputColumn: () => string | undefined
}

/**
 * Returns the examples of a file, which is read several times: for its encoding, its columns and its rows. They throw
 * what refuses the file, with its place and a remedy.
 */
export function examplesOfFile(file: ExampleFile, bytes: Reread, bounds: IntakeBounds): FileExamples {
  const lines = new Map<string, number>()
  const unanswered = new UnansweredCensus(file.mapping.empty_answers, bounds.maxUnlabelled)
  let inputs: readonly string[] = []
  const surveyed = ({ columns }: Survey): void => {
    inputs = columns.flatMap(({ role, name }) => (role === 'input' ? [name] : []))
  }
  return {
    unanswered,
    inputColumn: () => (inputs.length === 1 ? inputs[0] : undefined),
    examples: placing(placedExamples(file, bytes, { bounds, unanswered, surveyed }), lines),
    withLines: (error) => (COMPILE_ERRORS.contradictory_examples.matches(error) ? inLines(error, lines) : error),
  }
}

async function* placedExamples(
  { format, mapping, sheet }: ExampleFile,
  bytes: Reread,
  {
    bounds,
    unanswered,
    surveyed,
  }: {
    readonly bounds: IntakeBounds
    readonly unanswered: UnansweredCensus
    readonly surveyed: (survey: Survey) => void
  },
): AsyncGenerator<PlacedExample> {
  const named = sheet === undefined ? { format } : { format, sheet: sheet.sheet }
  const { source, examples } = await openTable(named, bytes, mapping, bounds)
  if (examples !== null) {
    yield* examplesOfObjects(examples(), unanswered, bounds)
    return
  }
  const survey = await surveyTable(source, mapping, {
    maxRows: bounds.maxRows,
    maxColumns: MAX_COLUMNS,
    findsTotals: true,
  })
  surveyed(survey)
  requireSound({ ...survey, problems: [...problemsOfSheet(sheet, survey), ...survey.problems] })
  yield* examplesOfTable(source, survey, unanswered, bounds)
}

async function* placing(placed: AsyncIterable<PlacedExample>, lines: Map<string, number>): AsyncGenerator<Example> {
  for await (const { line, example } of placed) {
    if (example.kind === 'positive' && lines.size < PLACED_ROWS) lines.set(example.row.id, line)
    yield example
  }
}

function inLines(error: DomainError, lines: ReadonlyMap<string, number>): DomainError {
  const given = error.details?.['contradictions']
  if (!Array.isArray(given)) return error
  const contradictions = given.map(({ ids }: { readonly ids: readonly string[] }) => ({
    ids,
    lines: ids.flatMap((id) => lines.get(id) ?? []),
  }))
  const named = contradictions.map(({ ids, lines: places }) => someOf(places.length === ids.length ? places : ids))
  const message = `the same input has different answers in lines ${named.join('; ')}; keep the right row of each`
  const [first] = contradictions
  const field = `line[${first?.lines[0] ?? 1}]`
  return new DomainError(error, `${field}: ${message}`, {
    details: {
      fields: contradictions.map(({ lines: places, ids }) => ({
        field: `line[${places[0] ?? 1}]`,
        message: `lines ${someOf(places.length === ids.length ? places : ids)}: same input, different answers`,
      })),
      contradictions,
    },
  })
}
