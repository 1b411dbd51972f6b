import { DomainError } from '../core/kernel/errors.ts'
import { EXIT } from './exit-codes.ts'

/** A failure whose message the user sees unchanged. */
export class CliError extends Error {
  readonly exitCode: number
  /** Machine code: the server's, or the CLI's own. */
  readonly code: string
  readonly details: unknown

  constructor(message: string, options: { exitCode?: number; code?: string; details?: unknown; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'CliError'
    this.exitCode = options.exitCode ?? EXIT.failed
    this.code = options.code ?? 'failed'
    this.details = options.details
  }
}

/** Wrong arguments or wrong input files. */
export function usageError(message: string, cause?: unknown): CliError {
  return new CliError(message, { exitCode: EXIT.usage, code: 'usage', cause })
}

/** Converts any failure into one with a message for the user. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error
  if (error instanceof DomainError) {
    return new CliError(error.message, { code: error.code, details: error.details, cause: error })
  }
  return new CliError(error instanceof Error ? error.message : String(error), { cause: error })
}
