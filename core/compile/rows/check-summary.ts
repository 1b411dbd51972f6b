import { invalidField } from '../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../errors.ts'
import type { Limits } from '../limits.ts'
import { selectRows } from './intake/dataset.ts'
import type { DatasetSummary, Example, UnansweredRows } from './intake/example.ts'
import { someOf } from './table/table-error.ts'

/** From this many rows on a contradiction is settled by the majority; below it, the caller is asked to settle it. */
const MAJORITY_FROM_ROWS = 100

/** Checks a dataset as a whole. Throws `no_examples`, `too_few_examples` and `contradictory_examples`. */
export async function checkSummary(
  summary: DatasetSummary,
  limits: Limits,
  reread: () => AsyncIterable<Example>,
): Promise<void> {
  if (summary.rows === 0) throw invalidField('examples', 'must have at least two examples', COMPILE_ERRORS.no_examples)
  // Tolerances make duplicates of rows, of which fewer than so many may stay.
  const isFew = summary.rows < MAJORITY_FROM_ROWS || summary.tolerances.length > 0
  if (isFew && summary.contradictions > 0) {
    await selectRows(reread(), {
      maxRows: limits.rows_used_per_compile,
      tolerances: summary.tolerances,
    })
  }
  if (summary.distinctInputs < 2) {
    throw invalidField(
      'examples',
      `must have at least two examples with different inputs${unansweredNote(summary.unanswered)}`,
      COMPILE_ERRORS.too_few_examples,
    )
  }
}

function unansweredNote({ count, lines }: UnansweredRows): string {
  if (count === 0) return ''
  const places = lines.length === 0 ? '' : ` (${lines.length === 1 ? 'line' : 'lines'} ${someOf(lines, count)})`
  return `; ${count} ${count === 1 ? 'row has' : 'rows have'} no answer${places}`
}
