/** Why the stack could not do its work. */
export type StackErrorCode =
  | 'port_in_use'
  | 'disk_full'
  | 'not_executable'
  | 'no_temporal'
  | 'no_postgres'
  | 'data_version'
  | 'data_unusable'
  | 'start_failed'
  | 'not_reachable'

/** Thrown when Postgres or Temporal cannot be had; the message says what to do about it. */
export class StackError extends Error {
  readonly code: StackErrorCode

  constructor(code: StackErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'StackError'
    this.code = code
  }
}
