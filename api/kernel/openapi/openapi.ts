import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi'
import { z } from 'zod'
import { describeDefaults } from './describe-defaults.ts'
import { describeErrors, describeHeaders, jsonType } from './openapi-errors.ts'
import { IDEMPOTENCY_KEY } from '../guard/idempotency.ts'
import type { JsonAnswer } from '../reply/answers.ts'
import { ENVELOPE_FIELDS } from '../../../core/kernel/wire/envelope.ts'
import type { Route } from '../route.ts'
import type { Limits } from '../../../core/limits.ts'
import type { AuthKind } from '../request/call.ts'

/** The version of the contract, which changes only with it. */
export const API_VERSION = '1.0.0'

/** A call and its answer, shown with an operation. */
export interface OperationExample {
  readonly body?: unknown
  readonly status: number
  readonly answer: unknown
}

/** Settings of the document. */
export interface DescribedUnder {
  /** The limits in force, which the schemas of input follow from. */
  readonly limits: Limits
  readonly publicUrl: string | undefined
  /** Examples by the ids of their operations. */
  readonly examples?: Readonly<Record<string, OperationExample>>
}

/** The OpenAPI 3.1 document of the declared routes. There is no other list of them. */
export function describeApi(routes: readonly Route[], { limits, publicUrl, examples = {} }: DescribedUnder): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const route of routes) {
    const operations = (paths[route.path] ??= {})
    operations[route.method] = describeRoute(route, limits, examples[route.operationId])
  }
  const typed: ZodOpenApiPathsObject = paths
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Model compiler service',
        version: API_VERSION,
        description:
          'Compiles examples into a signed, verifiable `.svc` archive: the smallest recipe that does the task, with evidence of its accuracy on held-out rows. Pages of any origin may call it with a key; the session cookie works from its own origin only. JSON is read as I-JSON (RFC 7493): a repeated member name, a number that a double cannot hold and half of a surrogate pair are refused, and so is a member named `__proto__`.',
      },
      servers: [{ url: publicUrl ?? '/' }],
      tags: describeGroups(routes, examples),
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
  return describeDefaults(document)
}

/** The groups of the routes in their order; a group without a recorded call says so. */
function describeGroups(routes: readonly Route[], examples: object): { name: string; description?: string }[] {
  return [...Map.groupBy(routes, ({ group }) => group)].map(([name, members]) => ({
    name,
    ...(!members.some(({ operationId }) => operationId in examples) && {
      description: 'No recorded calls: the examples of these operations are made from their schemas.',
    }),
  }))
}

const TENANT_CREDENTIALS: Record<string, string[]>[] = [{ apiKey: [] }, { bearer: [] }, { session: [] }]

const CREDENTIALS: Readonly<Record<AuthKind, Record<string, string[]>[]>> = {
  public: [],
  optional: [{}, ...TENANT_CREDENTIALS],
  key: TENANT_CREDENTIALS,
  admin: [{ adminKey: [] }, ...TENANT_CREDENTIALS],
  scim: [{ bearer: [] }, { apiKey: [] }],
}

function describeRoute(route: Route, limits: Limits, example?: OperationExample): ZodOpenApiOperationObject {
  const { query } = route.schemas(limits)
  return {
    operationId: route.operationId,
    tags: [route.group],
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description(limits) }),
    security: CREDENTIALS[route.auth],
    ...(route.scope !== undefined && { 'x-scope': route.scope }),
    ...(route.orScopes.length > 0 && { 'x-or-scopes': [...route.orScopes] }),
    requestParams: {
      ...(route.params && { path: route.params }),
      ...(query && { query }),
      ...(route.idempotency && { header: idempotencyHeader(limits) }),
    },
    ...describeBody(route, limits, example),
    responses: { ...describeAnswers(route, example), ...describeErrors(route) },
  }
}

/** The body, required unless the route takes a call without one. */
function describeBody(
  route: Route,
  limits: Limits,
  example?: OperationExample,
): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  const { body, multipart } = route.schemas(limits)
  if (!body && !multipart) return {}
  const content = {
    ...(body && {
      [route.rawBody === undefined ? jsonType(route) : '*/*']: { schema: body, ...exampleOf(example?.body) },
    }),
    ...(body && route.form && { 'application/x-www-form-urlencoded': { schema: body } }),
    ...(multipart && { 'multipart/form-data': { schema: multipart } }),
  }
  return { requestBody: { required: body?.safeParse({}).success !== true, content } }
}

function idempotencyHeader({ idempotency_hours: hours }: Limits) {
  return z.object({
    'idempotency-key': z
      .string()
      .regex(IDEMPOTENCY_KEY)
      .optional()
      .meta({ description: `The same key with the same body is answered once; kept for ${hours} hours` }),
  })
}

/** The schema of an answer that is no JSON. Of server-sent events none: readers hold one against each event, not the text. */
function schemaOfText(mediaType: string): { readonly type?: 'string' } {
  return mediaType === 'text/event-stream' ? {} : { type: 'string' }
}

function describeAnswers(route: Route, example?: OperationExample): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, answer]) => {
      const shown = exampleOf(Number(status) === example?.status ? example.answer : undefined)
      return [
        status,
        {
          description: answer.description,
          headers: describeHeaders(Number(status)),
          content: isEmpty(Number(status))
            ? {}
            : answer.kind === 'json'
              ? {
                  [jsonType(route)]: { schema: withEnvelope(answer), ...shown },
                  ...(answer.orMediaType !== undefined && {
                    [answer.orMediaType]: { schema: schemaOfText(answer.orMediaType) },
                  }),
                }
              : {
                  [answer.mediaType]: { schema: answer.schema ?? schemaOfText(answer.mediaType), ...shown },
                  ...Object.fromEntries(
                    (answer.orMediaTypes ?? []).map((other) => [other, { schema: schemaOfText(other) }]),
                  ),
                },
        },
      ]
    }),
  )
}

function exampleOf(example: unknown): { readonly example?: unknown } {
  return example === undefined ? {} : { example }
}

/** True for answers that only their headers say something with. */
function isEmpty(status: number): boolean {
  return status === 204 || (status >= 300 && status < 400)
}

function withEnvelope(answer: JsonAnswer): z.ZodObject {
  return answer.isEnveloped ? answer.schema.extend(ENVELOPE_FIELDS) : answer.schema
}
