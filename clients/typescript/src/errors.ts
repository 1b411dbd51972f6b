/** A field of a request that the service refused. */
export interface FieldFault {
  /** Path of the field, for example `examples[3].input`. */
  readonly field: string
  readonly message: string
}

/** Facts of an error answer. */
export interface ErrorFacts {
  /** Machine code, for example `quota_exhausted`; `unreachable` when no answer came. */
  readonly code: string
  /** HTTP status; 0 when no answer came. */
  readonly status: number
  readonly requestId?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  /** Seconds after which a repetition makes sense. */
  readonly retryAfterS?: number | undefined
}

/** Any failure of a call to the service. */
export class SvcError extends Error {
  readonly code: string
  readonly status: number
  readonly requestId: string | undefined
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfterS: number | undefined

  constructor(message: string, facts: ErrorFacts, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = facts.code
    this.status = facts.status
    this.requestId = facts.requestId
    this.details = facts.details ?? {}
    this.retryAfterS = facts.retryAfterS
  }
}

/** The service cannot be reached. */
export class UnreachableError extends SvcError {}
/** The key is missing, wrong, ended or without the scope (401, 403). */
export class AuthenticationError extends SvcError {}
/** There is no such thing, or it belongs to another tenant (404). */
export class NotFoundError extends SvcError {}
/** The request contradicts the present state (409, 410). */
export class ConflictError extends SvcError {}
/** The units of the month are used up (402). */
export class QuotaError extends SvcError {}
/** Too many calls (429). `retryAfterS` says when the next one makes sense. */
export class RateLimitError extends SvcError {}
/** The service failed or is overloaded (5xx). */
export class ServerError extends SvcError {}

/** The request is wrong (other 4xx). `fields` names each wrong field. */
export class InvalidRequestError extends SvcError {
  get fields(): readonly FieldFault[] {
    const { fields } = this.details
    return Array.isArray(fields) ? (fields as FieldFault[]) : []
  }
}

const BY_STATUS: Readonly<Record<number, typeof SvcError>> = {
  401: AuthenticationError,
  402: QuotaError,
  403: AuthenticationError,
  404: NotFoundError,
  409: ConflictError,
  410: ConflictError,
  429: RateLimitError,
}

const BY_CODE: Readonly<Record<string, typeof SvcError>> = {
  quota_exhausted: QuotaError,
  not_found: NotFoundError,
}

/** Returns an error inside an answer that began well: its kind follows from its code. */
export function errorByCode(message: string, facts: ErrorFacts): SvcError {
  return new (BY_CODE[facts.code] ?? SvcError)(message, facts)
}

/** Reads the error of an answer that is not 2xx. */
export async function errorOf(response: Response): Promise<SvcError> {
  const body = await readBody(response)
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const kind = BY_STATUS[response.status] ?? (response.status >= 500 ? ServerError : InvalidRequestError)
  const { error, code, request_id: requestId, details } = body
  return new kind(typeof error === 'string' ? error : `the service answered ${response.status}`, {
    code: typeof code === 'string' ? code : `http_${response.status}`,
    status: response.status,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    details: typeof details === 'object' && details !== null ? { ...details } : undefined,
    retryAfterS: Number.isFinite(retryAfter) ? retryAfter : undefined,
  })
}

async function readBody(response: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null ? { ...body } : {}
  } catch {
    return {}
  }
}
