import type { DomainError } from '../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../errors.ts'

/** Fields by which a caller gives rows from which a model would learn. */
const LEARNED = ['examples', 'rows', 'dataset_id', 'pairs_path', 'source', 'namespace'] as const
/** Fields by which a caller gives rows to be scored. */
const SCORED = ['data', 'dataset'] as const

/** A field of a body, or of a path, by which the caller gives rows. */
export type SealedField = (typeof LEARNED)[number] | (typeof SCORED)[number]

/** Returns `sealed_rows` for so many examples of a compile, or rows of a dataset or an evaluation, that are rows of a sealed holdout. */
export function sealedRowsError(field: SealedField, count: number): DomainError {
  const noun = field === 'examples' ? 'example' : 'row'
  const found = count === 1 ? `1 ${noun} is a row` : `${count} ${noun}s are rows`
  const why = LEARNED.some((name) => name === field) ? 'from which no model may learn' : 'which only its gates read'
  return COMPILE_ERRORS.sealed_rows(
    `${field}: ${found} of a sealed holdout, ${why}; remove them, or reveal the holdout`,
    { details: { count } },
  )
}
