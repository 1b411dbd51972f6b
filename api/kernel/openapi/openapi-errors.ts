import { z } from 'zod'
import type { ZodOpenApiContentObject, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { ErrorBody } from '../../../core/kernel/wire/errors.ts'
import type { Route } from '../route.ts'
import { ERROR_CODES, type ErrorCode } from '../../../core/errors.ts'
import type { AuthKind } from '../request/call.ts'

/** Errors of a call before it has a route. */
const CONNECTION_ERRORS = ['invalid_http', 'request_timeout', 'unmet_expectation', 'headers_too_large'] as const

/** Errors that every route may answer. */
const COMMON_ERRORS = [
  ...CONNECTION_ERRORS,
  'api_key_in_query_unsupported',
  'ambiguous_credentials',
  'store_unavailable',
  'internal',
] as const

const TENANT_ERRORS = ['invalid_credential', 'anon_expired', 'session_expired', 'rate_limited'] as const

/** Errors of the guard. */
const AUTH_ERRORS: Readonly<Record<AuthKind, readonly ErrorCode[]>> = {
  public: [],
  optional: TENANT_ERRORS,
  key: [...TENANT_ERRORS, 'missing_credential'],
  admin: [...TENANT_ERRORS, 'missing_credential', 'admin_only', 'admin_not_configured'],
  scim: ['invalid_credential', 'missing_credential', 'rate_limited'],
}

const TAKES_SESSION: ReadonlySet<AuthKind> = new Set(['optional', 'key', 'admin'])

/** Every code that a route may answer with: those that it names, and those that its declaration brings with it. */
export function errorCodesOf(route: Route): ErrorCode[] {
  const isUnsafe = route.method !== 'get'
  return [
    ...route.errors,
    ...AUTH_ERRORS[route.auth],
    ...(route.scope === undefined ? [] : (['insufficient_scope'] as const)),
    ...((TAKES_SESSION.has(route.auth) && isUnsafe) || route.setsCookie ? (['csrf_rejected'] as const) : []),
    ...(route.params ? (['not_found', 'route_not_found'] as const) : []),
    // A query of too many parameters is refused by every route.
    'validation_failed',
    ...(isUnsafe && route.rawBody === undefined
      ? (['invalid_json', 'invalid_encoding', 'unsupported_media_type'] as const)
      : []),
    ...(isUnsafe ? (['payload_too_large', 'busy'] as const) : []),
    ...(route.idempotency ? (['idempotency_key_reused', 'request_in_progress'] as const) : []),
    ...(route.limit ? (['rate_limited'] as const) : []),
    ...(route.stores ? (['storage_full'] as const) : []),
    ...COMMON_ERRORS,
  ]
}

/** The media type of a route's JSON. */
export function jsonType(route: Route): string {
  return route.errorShape?.mediaType ?? 'application/json'
}

/** The errors of a route by status. */
export function describeErrors(route: Route): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, Set<ErrorCode>>()
  for (const code of errorCodesOf(route)) {
    const { status } = ERROR_CODES[code]
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  const described = [...byStatus].filter(([status]) => route.answers[status] === undefined)
  return Object.fromEntries(
    described.map(([status, codes]) => [String(status), describeError(status, [...codes], route)]),
  )
}

const LONGEST_NAME = 80
const described = new Map<string, ZodOpenApiResponseObject>()

/** Answers that many routes share; the document has each once. */
function describeError(status: number, codes: readonly ErrorCode[], route: Route): ZodOpenApiResponseObject {
  const shape = route.errorShape
  const name = `${shape?.name ?? ''}Error${status}_${codes.join('_')}`
  const known = described.get(name)
  if (known) return known
  const ownForm = { [jsonType(route)]: { schema: shape?.schema ?? ErrorBody } }
  const made = {
    // A name that lists many codes makes the document harder to read.
    ...(name.length <= LONGEST_NAME && { id: name }),
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: describeHeaders(status),
    content: shape && codes.some(isRouteless) ? withCommonForm(ownForm, shape.schema) : ownForm,
  }
  described.set(name, made)
  return made
}

/** Gives errors that are answered before a route is known the form of all errors. */
function withCommonForm(own: ZodOpenApiContentObject, schema: z.ZodObject): ZodOpenApiContentObject {
  const json = own['application/json']
  return { ...own, 'application/json': { schema: json ? z.union([schema, ErrorBody]) : ErrorBody } }
}

/** True for what is answered before a route is known, so in the form of all errors, also to SCIM. */
function isRouteless(code: ErrorCode): boolean {
  return code === 'route_not_found' || CONNECTION_ERRORS.some((other) => other === code)
}

const RequestId = z.string().meta({ description: 'The id of the call, for support' })
const Wait = z.int().min(1).optional().meta({ description: 'Seconds to wait before repeating the call' })
const Challenge = z.string().meta({ description: 'Ways to send the credential (RFC 6750)' })
const Standing = z.int().min(0).optional()

const RATE = {
  'RateLimit-Limit': Standing.meta({ description: 'Calls in a window' }),
  'RateLimit-Remaining': Standing.meta({ description: 'Calls that are left in this window' }),
  'RateLimit-Reset': Standing.meta({ description: 'Seconds until the window ends' }),
}

/** The headers that answers of a status carry. */
export function describeHeaders(status: number): z.ZodObject {
  return z.object({
    'X-Request-Id': RequestId,
    ...(status === 401 && { 'WWW-Authenticate': Challenge }),
    ...(status === 429 && { ...RATE, 'Retry-After': Wait }),
    ...((status === 402 || status === 503) && { 'Retry-After': Wait }),
  })
}
