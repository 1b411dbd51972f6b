import { invalidField } from '../../../kernel/errors.ts'
import { shapeOf } from '../table/columns/cell-types.ts'
import { cellText, type TableSource } from '../table/records.ts'
import type { Survey } from '../table/survey.ts'

/** One to three words, as names of columns have. */
const NAME = /^\p{L}[\p{L}\p{M}\p{N}_-]*(?: [\p{L}\p{M}\p{N}_-]+){0,2}$/u

/**
 * Returns true where the first row of a bare column is its name, and false where it is an input, for one without another
 * sign of a header: the name of the examples' column is a name, and so is one word above rows of several; a sentence and a
 * text like those below it are inputs. Throws `validation_failed` for a row that may be either.
 */
export function hasHeader({ first, firstRows }: Survey, column: string, source: TableSource): boolean {
  const text = cellText(first?.cells[0]).trim()
  if (text.toLowerCase() === column.toLowerCase()) return true
  if (!NAME.test(text)) return false
  const below = firstRows.map(([cell]) => cellText(cell).trim())
  const isWord = !text.includes(' ')
  if (isWord && below.every((other) => other.includes(' '))) return true
  // A single word is written like other words, whether it is a name or not.
  if (!isWord && below.some((other) => shapeOf(other) === shapeOf(text))) return false
  throw invalidField(
    source.placeOf(first?.line ?? 1),
    `${JSON.stringify(text)} may be the name of the column or an input; write ${JSON.stringify(column)} above the inputs, or say whether the first row holds names (\`header\`)`,
  )
}
