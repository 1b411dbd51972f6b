import { invalidField } from '../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import type { TableSource } from './records.ts'
import { someOf } from './table-error.ts'

/** Rows with another number of cells than the first one. */
export interface RaggedRows {
  readonly count: number
  /** Of the first ones. */
  readonly lines: readonly number[]
  /** Cells of the first of them. */
  readonly firstCells: number
}

/** Returns the field and the message for rows of another width. */
export function raggedProblem(
  source: TableSource,
  { count, lines, firstCells }: RaggedRows,
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

/** Returns the message for a column of answers that is empty. */
export function noAnswers(name: string): string {
  return `${JSON.stringify(name)} has no answer in any row; fill some, or name another column`
}

/** Returns the error of a table without rows. */
export function noRows(hasHeader: boolean) {
  const message = hasHeader
    ? 'holds a header and no rows; add rows with inputs and answers below it'
    : 'is empty; save the table again, with a row of names and the examples below it'
  return invalidField('file', message, COMPILE_ERRORS.no_examples)
}

/** Returns the error of a table with too many rows. */
export function tooMany(field: string, max: number) {
  const message = `more than ${max} rows; a compile learns from a sample, so keep the first ${max} or fewer`
  return COMPILE_ERRORS.too_many_examples(`${field}: ${message}`, { details: { fields: [{ field, message }], max } })
}
