import { DomainError } from '../../kernel/errors.ts'
import { GATEWAY_ERRORS } from '../errors.ts'

/** The ways in which a call to a provider fails. */
export const PROVIDER_FAILURES = {
  rate_limited: GATEWAY_ERRORS.provider_rate_limited,
  overloaded: GATEWAY_ERRORS.provider_overloaded,
  auth: GATEWAY_ERRORS.provider_auth_failed,
  invalid_request: GATEWAY_ERRORS.provider_rejected_request,
  refused: GATEWAY_ERRORS.provider_refused,
  timeout: GATEWAY_ERRORS.provider_timeout,
  connection: GATEWAY_ERRORS.provider_unreachable,
  invalid_response: GATEWAY_ERRORS.provider_invalid_response,
  interrupted: GATEWAY_ERRORS.provider_interrupted,
  /** An answer that the caller's dialect has no form for: the provider did nothing wrong. */
  untranslatable: GATEWAY_ERRORS.provider_invalid_response,
}
export type ProviderFailure = keyof typeof PROVIDER_FAILURES

/** Facts of a failed call. */
export interface ProviderErrorFacts {
  /** HTTP status; absent when there was no answer. */
  readonly status?: number | undefined
  /** Seconds that the provider asks to wait. */
  readonly retryAfterS?: number | undefined
  /** The provider's own id of the request. */
  readonly requestId?: string | undefined
  /** The provider's own word for the error. */
  readonly word?: string | undefined
  /** The field that it names. */
  readonly param?: string | undefined
  readonly cause?: unknown
}

/**
 * Thrown when a provider does not answer as requested. The message holds the provider's own text, which may quote the
 * prompt, so it must not enter a workflow history or an event.
 */
export class ProviderError extends DomainError {
  readonly failure: ProviderFailure
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly word: string | undefined
  readonly param: string | undefined

  constructor(failure: ProviderFailure, message: string, facts: ProviderErrorFacts = {}) {
    super(PROVIDER_FAILURES[failure], message, {
      ...(facts.retryAfterS === undefined ? {} : { retryAfterS: facts.retryAfterS }),
      ...(facts.cause === undefined ? {} : { cause: facts.cause }),
    })
    this.name = 'ProviderError'
    this.failure = failure
    this.status = facts.status
    this.requestId = facts.requestId
    this.word = facts.word
    this.param = facts.param
  }

  /** True when asking again, later, may help. */
  get isTransient(): boolean {
    switch (this.failure) {
      case 'rate_limited':
      case 'overloaded':
      case 'timeout':
      case 'connection':
      case 'interrupted':
        return true
      case 'auth':
      case 'invalid_request':
      case 'refused':
      case 'invalid_response':
      case 'untranslatable':
        return false
    }
  }

  /** True when the provider may have done the work and bill it: the answer was lost on the way, or not understood. */
  get mayBeBilled(): boolean {
    switch (this.failure) {
      case 'rate_limited':
      case 'auth':
      case 'invalid_request':
        return false
      case 'refused':
      case 'timeout':
      case 'invalid_response':
      case 'interrupted':
      case 'untranslatable':
        return true
      case 'overloaded':
        // 503 and 529 mean that the server did not start; with other server errors it may have done the work.
        return this.status !== 503 && this.status !== 529
      case 'connection':
        return !isBeforeSending(this.cause)
    }
  }

  /**
   * True when a budget has to hold the cost of the call, which is not known. An answer of 4xx or 5xx costs nothing: providers
   * bill no errors, though with some of them the work may have begun.
   */
  get leavesCostOpen(): boolean {
    return this.mayBeBilled && (this.status === undefined || this.status < 400)
  }
}

const CONNECT_ERRORS: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Returns true when the connection failed before the request was sent. */
function isBeforeSending(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && CONNECT_ERRORS.has(at.code)) return true
  }
  return false
}
