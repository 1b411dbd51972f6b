import { DomainError } from '../errors.ts'
import { packThreadError, unpackThreadError, type ThreadError } from './thread-error.ts'

/** What a thread answers: its output, or its error. */
export type ThreadReply<Output> =
  | { readonly ok: true; readonly output: Output }
  | { readonly ok: false; readonly error: ThreadError }

/** Packs an expected error for the way back; anything else is a bug and stays an exception. */
export function packError(error: unknown): ThreadReply<never> {
  if (!(error instanceof DomainError)) throw error
  return { ok: false, error: packThreadError(error) }
}

/** Takes a reply apart; throws the `DomainError` that the thread threw. */
export function unpackReply<Output>(reply: ThreadReply<Output>): Output {
  if (reply.ok) return reply.output
  throw unpackThreadError(reply.error)
}
