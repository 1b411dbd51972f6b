import { DomainError, KERNEL_ERRORS, type ErrorDetails } from '../../../core/kernel/errors.ts'
import { explainFailure } from '../../../db/kernel/faults/failures.ts'

/** The body of every error answer. */
export interface ErrorEnvelope {
  readonly error: string
  readonly code: string
  readonly request_id: string
  readonly details?: ErrorDetails
}

/** An error as it is answered. */
export interface ErrorAnswer {
  readonly status: number
  readonly envelope: ErrorEnvelope
  readonly retryAfterS: number | undefined
  /** True for faults of the service, which are logged with their stack. */
  readonly isFault: boolean
  /** True when a service that the caller chose did not do its part: worth a line, not a stack. */
  readonly isElsewhere: boolean
  /** The text about it that logs may hold. */
  readonly logText: string
}

/**
 * The answer to an error. A `DomainError` answers with its code's status; what the database cannot serve right now is
 * `store_unavailable`; everything else is a plain `internal`, which says nothing of what happened inside.
 */
export function answerTo(error: unknown, requestId: string): ErrorAnswer {
  const known = explainFailure(error)
  if (!(known instanceof DomainError)) {
    return {
      status: KERNEL_ERRORS.internal.status,
      envelope: { error: 'internal error', code: 'internal', request_id: requestId },
      retryAfterS: undefined,
      isFault: true,
      isElsewhere: false,
      logText: 'internal error',
    }
  }
  const { status, isExpected = false, isElsewhere = false, mayQuote = false } = known.facts
  return {
    status,
    envelope: {
      error: known.message,
      code: known.code,
      request_id: requestId,
      ...(known.details && { details: known.details }),
    },
    retryAfterS: known.retryAfterS,
    isFault: status >= 500 && !isExpected && !isElsewhere,
    isElsewhere,
    logText: mayQuote ? 'a provider failed' : known.message,
  }
}

/** An error as a page for people: its HTML, and the headers that go with it. */
export interface ErrorPage {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}
