import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import { applyGuardrails, lookNow } from '../gate/guardrails/judge.ts'
import type { NamespaceSettings } from '../gate/namespaces/settings.ts'
import type { TermFinder } from '../gate/privacy/scan/scan-text.ts'
import { shieldBody } from '../gate/privacy/shield.ts'
import type { ProviderRequest } from '../providers/provider.ts'

/** A question that the gate of a namespace let pass. */
export interface GatedRequest {
  /** The request that the provider gets. */
  readonly request: ProviderRequest
  /** The same as a body of chat completions, by which it is counted. */
  readonly body: JsonObject
  /** Puts the values back that the provider got placeholders for. */
  restore(text: string): string
}

/**
 * Applies the guardrails and the privacy policy of a namespace to a question that comes in no dialect. Throws
 * `blocked_by_guardrail` and `privacy_blocked`.
 */
export function gateRequest(
  request: ProviderRequest,
  {
    namespace,
    settings,
    forgotten,
  }: {
    readonly namespace: string
    readonly settings: NamespaceSettings
    readonly forgotten: TermFinder | null
  },
): GatedRequest {
  const seen = lookNow(bodyOf(request), settings.guardrails, settings.guardrail_mode)
  const { body, placeholders } = shieldBody(applyGuardrails(seen, settings).body, {
    namespace,
    settings,
    forgotten,
    policy: settings.privacy_policy,
    isRaw: false,
  })
  const isJson = request.schema !== undefined || request.wantsJson === true
  return {
    request: readBack(request, body),
    body,
    restore: (text) => placeholders.restore(text, isJson),
  }
}

function bodyOf({ messages, schema, maxTokens, n }: ProviderRequest): JsonObject {
  return {
    messages: messages.map(({ role, text }) => ({ role, content: text })),
    max_tokens: maxTokens,
    n,
    ...(schema !== undefined && {
      response_format: { type: 'json_schema', json_schema: { name: schema.name, schema: schema.schema } },
    }),
  }
}

/** Returns the request with the texts of its gated body. */
function readBack(request: ProviderRequest, body: JsonObject): ProviderRequest {
  const texts = listIn(body['messages']).map((message) => member(message, 'content'))
  const messages = request.messages.map((message, i) => {
    const text = texts[i]
    if (typeof text !== 'string') throw new Error('a gated body lost a message')
    return { ...message, text }
  })
  if (request.schema === undefined) return { ...request, messages }
  const schema = member(member(body['response_format'], 'json_schema'), 'schema')
  if (schema === undefined || !isJsonObject(schema)) throw new Error('a gated body lost its schema')
  return { ...request, messages, schema: { ...request.schema, schema } }
}

function listIn(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function member(value: Json | undefined, name: string): Json | undefined {
  return value !== undefined && isJsonObject(value) ? value[name] : undefined
}
