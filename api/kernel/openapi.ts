import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi'
import { z } from 'zod'
import { ERROR_CODES, type ErrorCode } from '../../core/errors.ts'
import type { JsonAnswer } from './reply/answers.ts'
import type { Route } from './route.ts'

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
        },
      },
    },
    { allowEmptySchema: { custom: true } },
  )
}

function describeRoute(route: Route): ZodOpenApiOperationObject {
  const credentials = [{ apiKey: [] }, { bearer: [] }, { session: [] }]
  const json = route.body && { 'application/json': { schema: route.body } }
  const form = route.multipart && { 'multipart/form-data': { schema: route.multipart } }
  return {
    operationId: route.operationId,
    tags: [route.group],
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    security: route.auth === 'public' ? [] : route.auth === 'optional' ? [{}, ...credentials] : credentials,
    ...(route.scope !== undefined && { 'x-scope': route.scope }),
    requestParams: {
      ...(route.params && { path: route.params }),
      ...(route.query && { query: route.query }),
      ...(route.idempotency && { header: IdempotencyHeader }),
    },
    ...((json ?? form) && { requestBody: { required: true, content: { ...json, ...form } } }),
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
            ? { 'application/json': { schema: withEnvelope(answer) } }
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
        content: { 'application/json': { schema: ErrorBody } },
      },
    ]),
  )
}

/** Every code that a route may answer with. */
export function errorCodesOf(route: Route): ErrorCode[] {
  const isUnsafe = route.method !== 'get'
  return [
    ...route.errors,
    ...(route.auth === 'public'
      ? []
      : (['invalid_credential', 'session_expired', 'ambiguous_credentials', 'rate_limited'] as const)),
    ...(route.auth === 'key' ? (['missing_credential'] as const) : []),
    ...(route.scope === undefined ? [] : (['insufficient_scope'] as const)),
    ...((route.auth !== 'public' && isUnsafe) || route.setsCookie ? (['csrf_rejected'] as const) : []),
    'api_key_in_query_unsupported',
    ...(route.params ? (['not_found'] as const) : []),
    ...(route.query || route.body || route.idempotency ? (['validation_failed'] as const) : []),
    ...(isUnsafe ? (['invalid_json', 'invalid_encoding', 'unsupported_media_type', 'payload_too_large'] as const) : []),
    ...(route.idempotency ? (['idempotency_key_reused', 'request_in_progress'] as const) : []),
    ...(route.limit ? (['rate_limited'] as const) : []),
    'store_unavailable',
    'internal',
  ]
}
