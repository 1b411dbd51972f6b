import { COMPILE_ERRORS } from '../../errors.ts'
import { canonicalJson } from '../../../kernel/json/json.ts'
import type { Row } from '../../task.ts'

const MAX_NAMED = 20

/**
 * Refuses train rows that also occur in the holdout. Throws `train_holdout_leakage`, naming the rows, when a canonical
 * input is on both sides; equal outputs do not matter.
 */
export function assertNoLeakage(train: readonly Row[], holdout: readonly Row[]): void {
  const known = new Map(holdout.map((row) => [canonicalJson(row.input), row.id]))
  const pairs = train.flatMap((row) => {
    const twin = known.get(canonicalJson(row.input))
    return twin === undefined ? [] : [{ train: row.id, holdout: twin }]
  })
  if (pairs.length === 0) return
  const named = pairs.slice(0, MAX_NAMED)
  throw COMPILE_ERRORS.train_holdout_leakage(
    `${pairs.length} inputs stand in train and holdout: ${named.map(({ train: a, holdout: b }) => `${a} and ${b}`).join('; ')}`,
    { details: { input_overlap: pairs.length, rows: named } },
  )
}
