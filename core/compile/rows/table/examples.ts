import { DomainError, invalidField, KERNEL_ERRORS, type FieldProblem } from '../../../kernel/errors.ts'
import type { Json } from '../../../kernel/json/json.ts'
import type { IntakeBounds } from '../intake/bounds.ts'
import type { Example } from '../intake/example.ts'
import { createExampleParser } from '../intake/parse-example.ts'
import type { UnansweredCensus } from '../intake/unanswered.ts'
import { typedCell } from './columns/cell-types.ts'
import type { PlacedObject } from './json/objects.ts'
import { isBlank, type TableRecord, type TableSource } from './records.ts'
import type { ReadSheet, SheetProblem } from './workbook/workbook-task.ts'
import { isBesideRows, isWidth, type Survey } from './survey.ts'

/** An example and the line of the file that it comes from. */
export interface PlacedExample {
  readonly line: number
  readonly example: Example
}

/** Throws the problems that a compile is refused for, the first of them as the message. */
export function requireSound({ problems }: Survey): void {
  const [first] = problems
  if (first === undefined) return
  throw new DomainError(KERNEL_ERRORS.validation_failed, `${first.field}: ${first.message}`, {
    details: { fields: problems },
  })
}

/** Most problems of cells that are named. */
const MOST_PROBLEMS = 20

/** Returns the problems of a sheet's cells, up to twenty; merged cells above the table do not matter. */
export function problemsOfSheet(
  sheet: ReadSheet | undefined,
  { first }: Pick<Survey, 'first'>,
): readonly FieldProblem[] {
  const isInTable = ({ mergedTo }: SheetProblem): boolean =>
    mergedTo === null || first === undefined || mergedTo >= first.line
  const problems = (sheet?.problems ?? []).filter(isInTable).slice(0, MOST_PROBLEMS)
  return problems.map(({ field, message }) => ({ field, message }))
}

/**
 * Yields the examples of a table as its survey says: one input column is the value itself, several are the members of an
 * object. Throws with the place of the row.
 */
export async function* examplesOfTable(
  source: TableSource,
  survey: Survey,
  unanswered: UnansweredCensus,
  bounds: IntakeBounds,
): AsyncGenerator<PlacedExample> {
  const parser = createExampleParser(bounds)
  for await (const record of source.records()) {
    if (record.cells.every(isBlank) || isBesideRows(survey, record)) continue
    if (source.kind !== 'objects' && !isWidth(record, survey.width)) continue
    const value = valueOf(record, survey, unanswered, source)
    if (value === null) continue
    yield { line: record.line, example: parser.parse(value, source.placeOf(record.line)) }
  }
}

/** Yields the examples of objects that have the members of examples. Throws with the line of the object. */
export async function* examplesOfObjects(
  objects: AsyncIterable<PlacedObject>,
  unanswered: UnansweredCensus,
  bounds: IntakeBounds,
): AsyncGenerator<PlacedExample> {
  const parser = createExampleParser(bounds)
  for await (const { line, value } of objects) {
    const given = unanswered.exampleOf(value, line)
    if (given !== null) yield { line, example: parser.parse(given, `line[${line}]`) }
  }
}

/** The example of a row in the form of JSON; null for a row that is left out. */
function valueOf(
  { line, cells }: TableRecord,
  { columns }: Survey,
  unanswered: UnansweredCensus,
  source: TableSource,
): Readonly<Record<string, Json>> | null {
  const value: Record<string, Json> = {}
  const members: (readonly [string, Json])[] = []
  let inputAt = -1
  let lacksAnswer = false
  for (const [i, { name, role, type }] of columns.entries()) {
    const cell = cells[i]
    if (role === 'output' && cell === undefined) lacksAnswer = true
    if (role === 'ignored' || cell === undefined) continue
    if (role === 'input') {
      inputAt = i
      members.push([name, typedCell(cell, type)])
    } else if (role === 'output') {
      value['output'] = typedCell(cell, type)
      // In JSON an empty text is written on purpose.
      lacksAnswer = source.kind === 'objects' ? cell === null : isBlank(cell)
    } else if (!isBlank(cell)) value[role] = typedCell(cell, type)
  }
  const inputs = columns.filter(({ role }) => role === 'input').length
  const [only] = members
  if (inputs !== 1) value['input'] = Object.fromEntries(members)
  else if (only !== undefined) {
    if (only[1] === null) {
      throw invalidField(source.placeOf(line, inputAt), 'has no input; fill the cell, or remove the row')
    }
    value['input'] = only[1]
  }
  const isLearned = value['kind'] === undefined || value['kind'] === 'positive' || value['kind'] === 'test'
  const how = lacksAnswer && isLearned ? unanswered.take(line) : 'text'
  if (how === 'text') return value
  if (how === 'skip') return null
  const { output: _, ...rest } = value
  return { ...rest, kind: 'unlabelled' }
}
