import { DomainError, type CodedFacts, type ErrorDetails } from '../errors.ts'

/** An error as plain data, since a thread boundary strips errors of their class. */
export type ThreadError =
  | {
      readonly kind: 'domain'
      readonly facts: CodedFacts
      readonly message: string
      readonly details: ErrorDetails | null
      readonly retryAfterS: number | null
    }
  | { readonly kind: 'other'; readonly message: string; readonly stack: string | null }

/** Packs an error for the way to another thread. */
export function packThreadError(error: unknown): ThreadError {
  if (error instanceof DomainError) {
    const { facts, message, details, retryAfterS } = error
    return { kind: 'domain', facts, message, details: details ?? null, retryAfterS: retryAfterS ?? null }
  }
  if (error instanceof Error) return { kind: 'other', message: error.message, stack: error.stack ?? null }
  return { kind: 'other', message: String(error), stack: null }
}

/** The error that another thread threw. */
export function unpackThreadError(packed: ThreadError): Error {
  if (packed.kind === 'other') {
    const error = new Error(packed.message)
    if (packed.stack !== null) error.stack = packed.stack
    return error
  }
  return new DomainError(packed, packed.message, {
    ...(packed.details !== null && { details: packed.details }),
    ...(packed.retryAfterS !== null && { retryAfterS: packed.retryAfterS }),
  })
}
