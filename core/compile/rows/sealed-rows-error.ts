import type { DomainError } from '../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../errors.ts'

/** Fields that name rows: those of a compile, of a dataset or a distillation, of an evaluation, of an evaluation on a dataset. */
export type SealedField = 'examples' | 'rows' | 'data' | 'dataset'

/** Returns `sealed_rows` for so many examples of a compile, or rows of a dataset or an evaluation, that are rows of a sealed holdout. */
export function sealedRowsError(field: SealedField, count: number): DomainError {
  const noun = field === 'examples' ? 'example' : 'row'
  const found = count === 1 ? `1 ${noun} is a row` : `${count} ${noun}s are rows`
  const why = field === 'examples' || field === 'rows' ? 'from which no model may learn' : 'which only its gates read'
  return COMPILE_ERRORS.sealed_rows(
    `${field}: ${found} of a sealed holdout, ${why}; remove them, or reveal the holdout`,
    { details: { count } },
  )
}
