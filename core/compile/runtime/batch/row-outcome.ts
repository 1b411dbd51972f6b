import type { DomainError } from '../../../kernel/errors.ts'
import type { Json, Sha256 } from '../../../kernel/json/json.ts'
import type { GuardedResult } from '../guard.ts'
import type { InputRow } from '../../rows/inputs/open-inputs.ts'
import { nameOfPlace, type RowPlace } from '../../rows/inputs/row-place.ts'

/** Result of one row of a batch. */
export type RowOutcome =
  | {
      readonly kind: 'answer'
      readonly inputHash: Sha256
      readonly result: GuardedResult
      readonly receipt: Json | null
    }
  | { readonly kind: 'error'; readonly error: RowError }

/** An error of a row, at its place. */
export interface RowError {
  readonly code: string
  readonly message: string
  /** Line of a text, or row of a sheet; null for an input of a request, which the message names. */
  readonly line: number | null
  /** Character of the line, for a fault inside it. */
  readonly column: number | null
}

/** A row of a batch with its result. */
export interface AnsweredRow {
  /** From 1. */
  readonly number: number
  readonly row: InputRow
  readonly outcome: RowOutcome
}

/** Returns the error of a row at its place. */
export function rowError(error: DomainError, place: RowPlace): RowError {
  const { code, message } = error
  if ('index' in place) {
    const name = nameOfPlace(place)
    return { code, message: message.startsWith(name) ? message : `${name}: ${message}`, line: null, column: null }
  }
  const column = error.details?.['column']
  const at = error.details?.['line']
  return {
    code,
    message,
    line: typeof at === 'number' ? at : place.line,
    column: typeof column === 'number' ? column : null,
  }
}
