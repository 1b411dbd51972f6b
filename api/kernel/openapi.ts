import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi'
import { z } from 'zod'
import { ERROR_CODES, type ErrorCode } from '../../core/errors.ts'
import type { JsonAnswer } from './reply/answers.ts'
import type { AuthKind, Route } from './route.ts'

/** The version of the contract, which changes only with it. */
export const API_VERSION = '1.0.0'

const ErrorBody = z
  .object({
    error: z.string().meta({ description: 'What went wrong, for people' }),
    code: z.string().meta({ description: 'What went wrong, for programs' }),
    request_id: z.string(),
    details: z
      .looseObject({ fields: z.array(z.object({ field: z.string(), message: z.string() })).optional() })
      .optional()
      .meta({ description: 'More facts; `fields` lists every wrong field with its path' }),
  })
  .meta({ id: 'Error', description: 'Every error answer' })

const ScimErrorBody = z
  .object({
    schemas: z.array(z.string()),
    status: z.string().meta({ description: 'The status of the answer' }),
    detail: z.string().meta({ description: 'What went wrong, for people' }),
    scimType: z.string().optional().meta({ description: 'What went wrong, for programs (RFC 7644, 3.12)' }),
  })
  .meta({ id: 'ScimError', description: 'Every error answer of SCIM' })

const envelopeFields = {
  ok: z.literal(true),
  request_id: z.string().meta({ description: 'The id of the call, also in the header X-Request-Id' }),
}

/** The OpenAPI 3.1 document of the declared routes. There is no other list of them. */
export function describeApi(routes: readonly Route[], publicUrl: string | undefined): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const route of routes) {
    const operations = (paths[route.path] ??= {})
    operations[route.method] = describeRoute(route)
  }
  const typed: ZodOpenApiPathsObject = paths
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Model compiler service',
        version: API_VERSION,
        description:
          'Examples go in; a signed, verifiable `.svc` archive comes out: the smallest thing that does the task, with the evidence of how well it does it. Pages of any origin may call it with a key; the session cookie works from its own origin only.',
      },
      servers: [{ url: publicUrl ?? '/' }],
      tags: [...new Set(routes.map((route) => route.group))].map((name) => ({ name })),
      paths: typed,
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          bearer: { type: 'http', scheme: 'bearer' },
          session: { type: 'apiKey', in: 'cookie', name: 'svc_session' },
          adminKey: { type: 'apiKey', in: 'header', name: 'X-Admin-Key' },
        },
      },
    },
    { allowEmptySchema: { custom: true } },
  )
}

const TENANT_CREDENTIALS: Record<string, string[]>[] = [{ apiKey: [] }, { bearer: [] }, { session: [] }]

const CREDENTIALS: Readonly<Record<AuthKind, Record<string, string[]>[]>> = {
  public: [],
  optional: [{}, ...TENANT_CREDENTIALS],
  key: TENANT_CREDENTIALS,
  admin: [{ adminKey: [] }, ...TENANT_CREDENTIALS],
  scim: [{ bearer: [] }, { apiKey: [] }],
}

function jsonType(route: Route): string {
  return route.errorShape === 'scim' ? 'application/scim+json' : 'application/json'
}

function describeRoute(route: Route): ZodOpenApiOperationObject {
  const json = route.body && { [route.rawBody === undefined ? jsonType(route) : '*/*']: { schema: route.body } }
  const fields = route.form && route.body && { 'application/x-www-form-urlencoded': { schema: route.body } }
  const form = route.multipart && { 'multipart/form-data': { schema: route.multipart } }
  return {
    operationId: route.operationId,
    tags: [route.group],
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    security: CREDENTIALS[route.auth],
    ...(route.scope !== undefined && { 'x-scope': route.scope }),
    requestParams: {
      ...(route.params && { path: route.params }),
      ...(route.query && { query: route.query }),
      ...(route.idempotency && { header: IdempotencyHeader }),
    },
    ...((json ?? form) && { requestBody: { required: true, content: { ...json, ...fields, ...form } } }),
    responses: { ...describeAnswers(route), ...describeErrors(route) },
  }
}

const IdempotencyHeader = z.object({
  'idempotency-key': z
    .string()
    .optional()
    .meta({ description: 'The same key with the same body is answered once; kept for 24 hours' }),
})

function describeAnswers(route: Route): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, answer]) => [
      status,
      {
        description: answer.description,
        content:
          answer.kind === 'json'
            ? {
                [jsonType(route)]: { schema: withEnvelope(answer) },
                ...(answer.orMediaType !== undefined && {
                  [answer.orMediaType]: { schema: { type: 'string' as const } },
                }),
              }
            : { [answer.mediaType]: { schema: { type: 'string' as const } } },
      },
    ]),
  )
}

function withEnvelope(answer: JsonAnswer): z.ZodObject {
  return answer.isEnveloped ? answer.schema.extend(envelopeFields) : answer.schema
}

/** Codes by status: those that the route names, and those that its auth, input and limit bring with them. */
function describeErrors(route: Route): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set(errorCodesOf(route))) {
    const { status } = ERROR_CODES[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const described = [...byStatus].filter(([status]) => route.answers[status] === undefined)
  return Object.fromEntries(
    described.map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\``).join(', '),
        content: { [jsonType(route)]: { schema: route.errorShape === 'scim' ? ScimErrorBody : ErrorBody } },
      },
    ]),
  )
}

const TENANT_ERRORS = ['invalid_credential', 'anon_expired', 'session_expired', 'rate_limited'] as const

/** What the guard refuses callers with. */
const AUTH_ERRORS: Readonly<Record<AuthKind, readonly ErrorCode[]>> = {
  public: [],
  optional: TENANT_ERRORS,
  key: [...TENANT_ERRORS, 'missing_credential'],
  admin: [...TENANT_ERRORS, 'missing_credential', 'admin_only', 'admin_not_configured'],
  scim: ['invalid_credential', 'missing_credential', 'rate_limited'],
}

const TAKES_SESSION: ReadonlySet<AuthKind> = new Set(['optional', 'key', 'admin'])

/** Every code that a route may answer with. */
export function errorCodesOf(route: Route): ErrorCode[] {
  const isUnsafe = route.method !== 'get'
  return [
    ...route.errors,
    ...AUTH_ERRORS[route.auth],
    ...(route.scope === undefined ? [] : (['insufficient_scope'] as const)),
    ...((TAKES_SESSION.has(route.auth) && isUnsafe) || route.setsCookie ? (['csrf_rejected'] as const) : []),
    'api_key_in_query_unsupported',
    'ambiguous_credentials',
    ...(route.params ? (['not_found'] as const) : []),
    'validation_failed',
    ...(isUnsafe && route.rawBody === undefined
      ? (['invalid_json', 'invalid_encoding', 'unsupported_media_type'] as const)
      : []),
    ...(isUnsafe ? (['payload_too_large', 'busy'] as const) : []),
    ...(route.idempotency ? (['idempotency_key_reused', 'request_in_progress'] as const) : []),
    ...(route.limit ? (['rate_limited'] as const) : []),
    ...(route.stores ? (['storage_full'] as const) : []),
    'store_unavailable',
    'internal',
  ]
}
