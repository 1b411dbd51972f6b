import type { DomainError } from '../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../errors.ts'

/** Returns `sealed_rows` for so many examples of a compile, or rows of a dataset, that are rows of a sealed holdout. */
export function sealedRowsError(field: 'examples' | 'rows', count: number): DomainError {
  const noun = field === 'examples' ? 'example' : 'row'
  const found = count === 1 ? `1 ${noun} is a row` : `${count} ${noun}s are rows`
  return COMPILE_ERRORS.sealed_rows(
    `${field}: ${found} of a sealed holdout, which nothing learns from; remove them, or reveal the holdout`,
    { details: { count } },
  )
}
