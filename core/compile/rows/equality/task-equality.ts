import type { Equality } from './equality.ts'
import { inferEquality } from './infer-equality.ts'
import type { Split } from '../split/split-report.ts'
import type { Row } from '../task.ts'

/**
 * Infers the equality of a compile from the outputs of all its rows: their types and decimals, which tell nothing of
 * an answer. Only the evaluated rows may show that the form of a text means nothing.
 */
export function taskEquality(rows: readonly Row[], split: Pick<Split, 'holdout'>): Equality {
  return inferEquality(
    rows.map(({ output }) => output),
    split.holdout.flatMap((place) => {
      const row = rows[place]
      return row === undefined ? [] : [row.output]
    }),
  )
}
