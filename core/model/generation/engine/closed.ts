import type { DomainError } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../errors.ts'

/** Returns the error for requests to a closed generator. */
export function closed(): DomainError {
  return MODEL_ERRORS.model_busy('the base is being closed', { retryAfterS: 1 })
}
