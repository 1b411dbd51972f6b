import type { Equality } from './equality.ts'
import { inferEquality } from './infer-equality.ts'
import type { Split } from '../split/split-report.ts'
import type { Row } from '../task.ts'
import { withTolerances, type Tolerance } from './tolerance.ts'

/**
 * Infers the equality of a compile from the outputs of all its rows: their types and decimals, which tell nothing of
 * an answer. Only the held-out rows may show that the form of a text means nothing. The tolerances are its caller's.
 */
export function taskEquality(
  rows: readonly Row[],
  split: Pick<Split, 'holdout'>,
  tolerances: readonly Tolerance[] = [],
): Equality {
  const inferred = inferEquality(
    rows.map(({ output }) => output),
    split.holdout.flatMap((place) => {
      const row = rows[place]
      return row === undefined ? [] : [row.output]
    }),
  )
  return withTolerances(inferred, tolerances)
}
