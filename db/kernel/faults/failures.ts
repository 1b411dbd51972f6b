import { DomainError, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'

/** SQLSTATE classes and codes of a server that cannot be reached or is shutting down. */
const UNAVAILABLE = /^(08...|57P0[1235]|57014|53300|25P03)$/
const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH'])

/** Returns the SQLSTATE of a failed statement, or the code of a failed connection; empty when it has neither. */
export function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause === undefined ? '' : failureCode(error.cause)
}

/** Returns true when a transaction failed only because of a concurrent one (SQLSTATE 40001, 40P01). */
export function isConflict(error: unknown): boolean {
  const code = failureCode(error)
  return code === '40001' || code === '40P01'
}

/** Returns true when a unique constraint refused the statement; with a name, only for that constraint. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (failureCode(error) !== '23505') return false
  return constraint === undefined || constraintOf(error) === constraint
}

function constraintOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('constraint' in error && typeof error.constraint === 'string') return error.constraint
  return constraintOf(error.cause)
}

/**
 * Turns errors of the database into codes: its loss into `store_unavailable`, which is worth a retry; a full disk
 * (SQLSTATE 53100) into `storage_full`; a text that Postgres cannot store (NUL, SQLSTATE 22021 and 22P05) into
 * `validation_failed`. Other errors stay as they are.
 */
export function explainFailure(error: unknown): unknown {
  if (error instanceof DomainError) return error
  const code = failureCode(error)
  if (code === '22021' || code === '22P05') {
    return KERNEL_ERRORS.validation_failed('a text holds a character that cannot be stored', { cause: error })
  }
  // disk_full: reads and runs continue, and writes are worth a retry once there is space.
  if (code === '53100') {
    return KERNEL_ERRORS.storage_full(
      'the disk of the database is full; try again after the operator has freed space',
      {
        retryAfterS: 60,
        cause: error,
      },
    )
  }
  const message = error instanceof Error ? error.message : ''
  const isLost =
    UNAVAILABLE.test(code) ||
    NETWORK.has(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/.test(
      message,
    )
  return isLost
    ? KERNEL_ERRORS.store_unavailable('the database cannot be reached', { retryAfterS: 1, cause: error })
    : error
}
