import { z } from 'zod'
import { callersError } from '../../../core/gateway/calls/answer-error.ts'
import { targetAt } from '../../../core/gateway/calls/target.ts'
import type { GatewayProviderId } from '../../../core/gateway/calls/providers.ts'
import { listedInput } from '../../../core/gateway/protocol/dialects/responses/expand-references.ts'
import type { KeptResponse } from '../../../core/gateway/protocol/dialects/responses/kept-turns.ts'
import { ownName } from '../../../core/gateway/protocol/dialects/responses/references.ts'
import { CALLER_TABLE } from '../../../core/gateway/protocol/dialects/table.ts'
import { createPlaceholders } from '../../../core/gateway/gate/privacy/placeholders.ts'
import { restoreJson } from '../../../core/gateway/gate/privacy/restore-json.ts'
import { parseJson, readRefusal } from '../../../core/gateway/protocol/upstream/refusal.ts'
import { ProviderError } from '../../../core/gateway/providers/provider-error.ts'
import { referenceKey } from '../../../core/gateway/record/seal-by-id.ts'
import { requireEnabled } from '../../../core/gateway/routing/overlay.ts'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import { DomainError, invalidField, isOneOf, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { boundsOf } from '../../../db/kernel/namespaces/bounds.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { findKey } from '../../../db/gateway/provider-keys/find-key.ts'
import { dropResponse } from '../../../db/gateway/cache/references/drop-references.ts'
import { rawDocument } from '../../kernel/reply/answers.ts'
import { findReceived } from '../calls/ask/find-received.ts'
import { takeOfMinute } from '../calls/ask/pass-over.ts'
import { DIALECT_ERRORS } from '../calls/error-shapes.ts'
import { findReach, keySources, type FoundReach } from '../calls/find-reach.ts'
import type { InferenceCall } from '../calls/open-call.ts'
import { defineRoute, type Route } from '../services.ts'
import { PROVIDER_FAILURES } from './declaration.ts'

/** The provider that keeps responses. */
const KEEPER: GatewayProviderId = 'openai'

const STORED = {
  group: 'gateway',
  auth: 'key',
  scope: 'gateway:call',
  namespace: 'bounded',
  errorShape: DIALECT_ERRORS.responses,
  params: z.object({
    id: z
      .string()
      .regex(/^[A-Za-z]{2,20}_[\w-]{1,250}$/)
      .meta({ description: 'The id of a response', example: `resp_svc${'0'.repeat(26)}` }),
  }),
  errors: ['not_found', 'no_provider_key', 'provider_disabled', 'rate_limited', ...PROVIDER_FAILURES],
} as const
const OF_WHOM =
  'A response that was translated is kept by this service for `gateway_reference_days` days, another one by OpenAI. With the key of the operator only responses that this tenant received are found; with a key of your own, those of its account.'

type Call = Pick<InferenceCall, 'services' | 'principal' | 'request' | 'hangUp'>

/** A stored response, where it is kept. */
type Place =
  | { readonly kind: 'here'; readonly kept: KeptResponse; readonly key: Buffer }
  | {
      readonly kind: 'there'
      readonly baseUrl: string
      readonly apiKey: string
      readonly isOwnKey: boolean
      readonly provider: GatewayProviderId
      readonly key: Buffer
      readonly placeholders: ReturnType<typeof createPlaceholders>
    }

/**
 * Finds where a response is kept; see `findReceived` for `withEarlier`. Throws `not_found` for one that this tenant did not receive,
 * and `no_provider_key`.
 */
async function findPlace(call: Call, id: string, withEarlier = false): Promise<Place> {
  const { services, principal } = call
  const name = ownName(id)
  const key = referenceKey(name ?? id)
  const missing = noResponse()
  const received = await findReceived(call, [id], { withEarlier })
  if (name !== null) {
    const kept = received.kept.get(name)
    if (kept?.response['id'] !== id) throw missing
    return { kind: 'here', kept, key }
  }
  // This installation sends every call to a server of its own.
  if (services.settings.gatewayMode !== 'cloud') throw missing
  const placeholders = createPlaceholders()
  const keeper = received.providers.get(id)
  if (keeper === undefined) {
    const reach = await ownReach(call, id)
    if (reach === null) throw missing
    return { kind: 'there', ...reach, provider: KEEPER, key, placeholders }
  }
  const { provider } = targetAt(KEEPER, id)
  if (keeper !== provider.id) throw missing
  for (const one of received.placeholders) placeholders.adopt(one)
  // It is kept for the operator's account, whatever key the caller has by now.
  const reach = await findKey(keySources(services), { caller: principal, provider, given: undefined, usesVault: false })
  return { kind: 'there', ...reach, provider: provider.id, key, placeholders }
}

function noResponse() {
  return KERNEL_ERRORS.not_found('there is no such response, or it is not kept any more')
}

/** Returns a response that is kept whole. Throws `not_found` for one of which the output alone is kept. */
function wholeOf(kept: KeptResponse): KeptResponse {
  if (kept.input === null) throw noResponse()
  return kept
}

/** Returns the way to the provider with a key of the caller's own; null without one. */
async function ownReach(call: Call, id: string): Promise<FoundReach | null> {
  try {
    const reach = await findReach(call, { target: targetAt(KEEPER, id), isFirst: true })
    return reach.isOwnKey ? reach : null
  } catch (error) {
    if (isOneOf(error, [GATEWAY_ERRORS.no_provider_key])) return null
    throw error
  }
}

/** Asks the provider that keeps a response. Throws its error in the caller's terms. */
async function askKeeper(
  { services, principal, hangUp }: Call,
  place: Extract<Place, { readonly kind: 'there' }>,
  { method, path }: { readonly method: 'GET' | 'DELETE'; readonly path: string },
): Promise<string> {
  const { baseUrl, apiKey, isOwnKey, provider: id, placeholders } = place
  const { provider } = targetAt(id, '')
  const overlay = await services.overlays.read(principal.tenantId)
  requireEnabled(overlay, provider, 'id')
  const refusal = await takeOfMinute(services, overlay, { tenantId: principal.tenantId, provider })
  if (refusal !== null) throw refusal
  const spoken = CALLER_TABLE.responses
  const prefix = provider.speaks.find(([name]) => name === spoken.name)?.[1] ?? ''
  const url = `${baseUrl}${prefix}${spoken.path('', false)}/${path}`
  const headers = { accept: 'application/json', ...spoken.headers(apiKey) }
  const timeoutMs = services.limits.gateway_timeout_s * 1000
  try {
    const reply = await services.upstream.send({ method, url, headers, body: null, timeoutMs, signal: hangUp() })
    if (reply.status < 200 || reply.status > 299) {
      throw await readRefusal(reply, (status, text) => spoken.readError(status, text), apiKey)
    }
    const text = await reply.text()
    if (placeholders.size === 0 || !text.includes('VAR_')) return text
    return JSON.stringify(restoreJson(parseJson(text), placeholders))
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    throw callersError(error, { provider: id, isOwnKey, isTranslated: false })
  }
}

/** Runs one call of a tenant among its calls under way. Throws `rate_limited`. */
async function within(call: Call, work: () => Promise<string>) {
  const { services, principal } = call
  const leave = services.streams.enter(`model calls of ${principal.tenantId}`, services.limits.gateway_calls_per_tenant)
  try {
    return { status: 200, raw: { kind: 'bytes', bytes: await work() } } as const
  } finally {
    leave()
  }
}

const getResponseRoute = defineRoute({
  ...STORED,
  method: 'get',
  path: '/v1/responses/{id}',
  operationId: 'getResponse',
  summary: 'Read a stored response',
  description: `${OF_WHOM} It is not streamed again.`,
  query: z.object({
    stream: z.literal('false', { error: 'must be false or absent: a stored response is not streamed' }).optional(),
  }),
  answers: {
    200: rawDocument(
      'The response',
      z.looseObject({ output: z.array(z.looseObject({})) }).meta({ id: 'StoredResponse' }),
    ),
  },
}).handle(async ({ services, principal, request, hangUp, params: { id } }) => {
  const call = { services, principal, request, hangUp }
  return await within(call, async () => {
    const place = await findPlace(call, id)
    if (place.kind === 'here') return JSON.stringify(wholeOf(place.kept).response)
    return await askKeeper(call, place, { method: 'GET', path: encodeURIComponent(id) })
  })
})

const deleteResponseRoute = defineRoute({
  ...STORED,
  method: 'delete',
  path: '/v1/responses/{id}',
  operationId: 'deleteResponse',
  summary: 'Delete a stored response',
  description: `${OF_WHOM} What is remembered of it here goes too, also where OpenAI has dropped it before; responses that went on from it stay whole, and its content here goes with the last of them. Captures of the call stay; \`POST /v1/captures/forget\` removes their content.`,
  answers: {
    200: rawDocument(
      'What was deleted',
      z.looseObject({ id: z.string(), deleted: z.boolean() }).meta({ id: 'DeletedResponse' }),
    ),
  },
}).handle(async ({ services, principal, request, hangUp, params: { id } }) => {
  const call = { services, principal, request, hangUp }
  return await within(call, async () => {
    const place = await findPlace(call, id)
    const drop = async () =>
      await dropResponse(tenantOf(services.db, principal.tenantId, boundsOf(principal)), place.key)
    if (place.kind === 'here') {
      await drop()
      return JSON.stringify({ id, object: 'response', deleted: true })
    }
    try {
      const text = await askKeeper(call, place, { method: 'DELETE', path: encodeURIComponent(id) })
      await drop()
      return text
    } catch (error) {
      // The provider has dropped it before.
      if (error instanceof DomainError && error.cause instanceof ProviderError && error.cause.status === 404)
        await drop()
      throw error
    }
  })
})

const Page = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string().max(300).optional().meta({ description: 'The id after which the page begins' }),
})

const listInputItemsRoute = defineRoute({
  ...STORED,
  method: 'get',
  path: '/v1/responses/{id}/input_items',
  operationId: 'listResponseInputItems',
  summary: 'List the input of a stored response',
  description: OF_WHOM,
  query: Page,
  answers: {
    200: rawDocument(
      'The items',
      z.looseObject({ data: z.array(z.looseObject({})) }).meta({ id: 'ResponseInputItems' }),
    ),
  },
}).handle(async ({ services, principal, request, hangUp, params: { id }, query }) => {
  const call = { services, principal, request, hangUp }
  return await within(call, async () => {
    const place = await findPlace(call, id, true)
    if (place.kind === 'here') return JSON.stringify(pageOf(listedInput(wholeOf(place.kept)), query))
    const { limit, order, after } = query
    const asked = new URLSearchParams({ limit: String(limit), order, ...(after !== undefined && { after }) })
    return await askKeeper(call, place, {
      method: 'GET',
      path: `${encodeURIComponent(id)}/input_items?${asked.toString()}`,
    })
  })
})

/** Cuts a page out of the input of a response that is kept here. Throws `validation_failed` for an unknown `after`. */
function pageOf(items: readonly JsonObject[], { limit, order, after }: z.output<typeof Page>): JsonObject {
  const ordered = order === 'asc' ? items : items.toReversed()
  const last = after === undefined ? -1 : ordered.findIndex((item) => item['id'] === after)
  if (after !== undefined && last < 0) throw invalidField('after', 'is the id of no item of this response')
  const at = last + 1
  const data = ordered.slice(at, at + limit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: at + limit < ordered.length,
  }
}

/** The routes of responses that are stored. */
export const STORED_RESPONSE_ROUTES: readonly Route[] = [getResponseRoute, deleteResponseRoute, listInputItemsRoute]
