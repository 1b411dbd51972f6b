/** Facts of a machine code. */
export interface ErrorFacts {
  /** HTTP status of the answer. */
  readonly status: number
  /** True when the same call may succeed unchanged later. Activities retry only such errors. */
  readonly retryable: boolean
  /** True for a service that is busy, or not set up for the call: no fault, so it is not logged as one. */
  readonly isExpected?: true
  /** True when a provider that the caller chose failed: logged as a warning, without a stack. */
  readonly isElsewhere?: true
  /** True when the message may quote what the caller sent: no log holds it. */
  readonly mayQuote?: true
}

/** Path of a wrong field in the request, and its problem. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

/** Extra facts an error answers with; never a secret, never a stack. */
export interface ErrorDetails {
  readonly fields?: readonly FieldProblem[]
  readonly [fact: string]: unknown
}

/** Options of an error besides code and message. */
export interface ErrorOptions {
  readonly details?: ErrorDetails
  /** Seconds to wait before the call is worth repeating; becomes `Retry-After`. */
  readonly retryAfterS?: number
  readonly cause?: unknown
}

/** A machine code with its facts. */
export interface CodedFacts<C extends string = string> extends ErrorFacts {
  readonly code: C
}

/**
 * The one error class of the service. `message` is for people, `code` for programs; unknown errors never reach a
 * caller, they become `internal`.
 */
export class DomainError<C extends string = string> extends Error {
  readonly code: C
  readonly details: ErrorDetails | undefined
  readonly retryAfterS: number | undefined
  readonly #facts: CodedFacts<C>

  /** Creates an error from a defined code, or from another error's code and facts. */
  constructor({ facts }: { readonly facts: CodedFacts<C> }, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'DomainError'
    this.code = facts.code
    this.details = options.details
    this.retryAfterS = options.retryAfterS
    this.#facts = facts
  }

  /** The code with its status and retry, as its area defines them. Plain data. */
  get facts(): CodedFacts<C> {
    return this.#facts
  }
}

/** A defined code: a function that makes its error. */
export interface DefinedError<C extends string = string> extends CodedFacts<C> {
  (message: string, options?: ErrorOptions): DomainError<C>
  readonly facts: CodedFacts<C>
  /** True for an error of this code. */
  readonly matches: (error: unknown) => error is DomainError<C>
}

/** Defines the codes of an area. An area throws its own codes and those of the areas below it. */
export function defineErrors<T extends Readonly<Record<string, ErrorFacts>>>(
  codes: T,
): { readonly [C in keyof T & string]: DefinedError<C> } {
  const defined = Object.entries(codes).map(([code, facts]) => [code, defineError(code, facts)])
  return Object.fromEntries(defined)
}

function defineError(code: string, facts: ErrorFacts): DefinedError {
  const coded = { facts: { code, ...facts } }
  const matches = (error: unknown): error is DomainError => error instanceof DomainError && error.code === code
  const make = (message: string, options?: ErrorOptions) => new DomainError(coded, message, options)
  return Object.assign(make, coded.facts, coded, { matches })
}

/** True for a domain error of one of the codes. */
export function isOneOf(error: unknown, errors: readonly DefinedError[]): error is DomainError {
  return errors.some(({ matches }) => matches(error))
}

/** Codes of every route, of the guard, and of the machines that the service needs. */
export const KERNEL_ERRORS = defineErrors({
  validation_failed: { status: 400, retryable: false },
  invalid_json: { status: 400, retryable: false },
  invalid_encoding: { status: 400, retryable: false },
  invalid_cursor: { status: 400, retryable: false },
  ambiguous_credentials: { status: 400, retryable: false },
  invalid_http: { status: 400, retryable: false },
  path_outside_workspace: { status: 400, retryable: false },
  missing_credential: { status: 401, retryable: false },
  invalid_credential: { status: 401, retryable: false },
  session_expired: { status: 401, retryable: false },
  api_key_in_query_unsupported: { status: 401, retryable: false },
  anon_expired: { status: 401, retryable: false },
  storage_allowance_used: { status: 402, retryable: false },
  insufficient_scope: { status: 403, retryable: false },
  csrf_rejected: { status: 403, retryable: false },
  admin_only: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  route_not_found: { status: 404, retryable: false },
  request_timeout: { status: 408, retryable: true },
  idempotency_key_reused: { status: 409, retryable: false },
  request_in_progress: { status: 409, retryable: true },
  payload_too_large: { status: 413, retryable: false },
  unsupported_media_type: { status: 415, retryable: false },
  unmet_expectation: { status: 417, retryable: false },
  rate_limited: { status: 429, retryable: true },
  headers_too_large: { status: 431, retryable: false },
  internal: { status: 500, retryable: true },
  busy: { status: 503, retryable: true, isExpected: true },
  admin_not_configured: { status: 503, retryable: false, isExpected: true },
  store_unavailable: { status: 503, retryable: true },
  workflow_engine_unavailable: { status: 503, retryable: true },
  storage_full: { status: 507, retryable: true, isExpected: true },
})

/** A machine code of the kernel. */
export type ErrorCode = keyof typeof KERNEL_ERRORS

/** True for a text that is such a code. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(KERNEL_ERRORS, text)
}

/** Returns the check of an area's codes: true for its own, and for those that the check of the area below it takes. */
export function codesAbove<Below extends string, Own extends string>(
  isBelow: (text: unknown) => text is Below,
  own: Readonly<Record<Own, DefinedError>>,
): (text: unknown) => text is Below | Own {
  return (text): text is Below | Own => isBelow(text) || (typeof text === 'string' && Object.hasOwn(own, text))
}

/** Returns an error that names one field; `validation_failed` unless a more exact code is given. */
export function invalidField(
  field: string,
  message: string,
  error: DefinedError = KERNEL_ERRORS.validation_failed,
  cause?: unknown,
): DomainError {
  return error(`${field}: ${message}`, { details: { fields: [{ field, message }] }, cause })
}
