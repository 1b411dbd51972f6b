import type { IncomingMessage } from 'node:http'
import { callersError } from '../../../core/gateway/calls/answer-error.ts'
import { charsIn, charsOf } from '../../../core/gateway/calls/estimate.ts'
import { prepareCall, preparePlain, type PreparedCall } from '../../../core/gateway/calls/prepare.ts'
import { refuseKept } from '../../../core/gateway/calls/refuse-kept.ts'
import { newProgress, relayStream } from '../../../core/gateway/calls/relay.ts'
import { readFallbacks, type Target } from '../../../core/gateway/calls/target.ts'
import type { AnswerFacts, CallerDialect } from '../../../core/gateway/dialects/dialect.ts'
import { CALLER_TABLE } from '../../../core/gateway/dialects/table.ts'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import type { Usage } from '../../../core/gateway/exchange/answer.ts'
import { ProviderError } from '../../../core/gateway/provider-error.ts'
import type { PlainKind } from '../../../core/gateway/calls/providers.ts'
import { REAL_CLOCK, withRetries, type RetryPolicy } from '../../../core/gateway/upstream/retry.ts'
import { parseJson, readRefusal } from '../../../core/gateway/upstream/refusal.ts'
import type { UpstreamReply } from '../../../core/gateway/upstream/upstream.ts'
import { invalidField, isOneOf } from '../../../core/kernel/errors.ts'
import { isJsonObject, type JsonObject } from '../../../core/kernel/json/json.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import type { ReplyHeaders } from '../../kernel/route.ts'
import type { GatewayServices } from '../services.ts'
import { findReach, type FoundReach } from './find-reach.ts'
import { settleCall, type AnsweredCall } from './settle.ts'
import { readPlainAnswer } from './plain-answer.ts'
import { startStream, type InferenceReply } from './start-stream.ts'

/** A caller's call of a model. */
export interface InferenceCall {
  readonly services: GatewayServices
  readonly principal: Principal
  readonly requestId: string
  readonly request: IncomingMessage
  /** Returns a signal that is aborted when the caller disconnects. */
  readonly hangUp: () => AbortSignal
  /** The dialect of the caller; embeddings and moderations have one form, with the errors of chat completions. */
  readonly dialect: CallerDialect
  readonly plain?: PlainKind
  readonly body: JsonObject
  readonly target: Target
}

/** Repeats of what a provider has not begun; with the repeats of the caller's SDK they multiply, so they are few. */
const RETRY: RetryPolicy = { attempts: 3, baseMs: 250, maxMs: 4000, repeatsBilled: false }
const FALLBACKS = 'x-svc-route-chain'
const TIMEOUT = 'x-svc-timeout-ms'

/**
 * Answers a call: by its target, and where that fails before the first part of its answer, by the targets that the
 * header `x-svc-route-chain` lists. Takes one call from the quota and returns it when no target answers. Throws what
 * refuses the call before it is sent, `rate_limited` for a tenant with too many calls under way, and the first target's
 * error in the caller's terms.
 */
export async function answerCall(call: InferenceCall): Promise<InferenceReply> {
  const { services, principal } = call
  const leave = services.streams.enter(`model calls of ${principal.tenantId}`, services.limits.gateway_calls_per_tenant)
  try {
    const reply = await answerCharged(call)
    if (reply.raw.kind === 'stream') reply.raw.stream.once('close', leave)
    else leave()
    return reply
  } catch (error) {
    leave()
    throw error
  }
}

async function answerCharged(call: InferenceCall): Promise<InferenceReply> {
  const { services, principal, request } = call
  const fallbacks = readFallbacks(headerText(request, FALLBACKS), FALLBACKS)
  const targets = [call.target, ...fallbacks]
  const timeoutMs = timeoutOf(request, services.limits.gateway_timeout_s * 1000)
  const signal = call.hangUp()
  const first = await readyCall(call, call.target, true)
  const charge = await services.meter.take(principal, services.limits.quota_units_per_gateway_call)
  let failure: unknown
  try {
    for (const [i, target] of targets.entries()) {
      try {
        const ready = i === 0 ? first : await readyCall(call, target, false)
        return await askTarget(call, ready, { timeoutMs, signal, hasNext: i + 1 < targets.length })
      } catch (error) {
        failure ??= error
        if (signal.aborted || !mayFallBack(error, i > 0)) break
      }
    }
    throw failure
  } catch (error) {
    charge.refund()
    throw error
  }
}

interface ReadyCall {
  readonly reach: FoundReach
  readonly prepared: PreparedCall
}

async function readyCall(call: InferenceCall, target: Target, isFirst: boolean): Promise<ReadyCall> {
  const reach = await findReach(call.services, call.principal, call.request, { target, isFirst })
  if (!reach.isOwnKey) refuseKept(call.body)
  const prepared =
    call.plain === undefined
      ? prepareCall(call.dialect, call.body, reach)
      : { ...preparePlain(call.plain, call.body, reach), request: null }
  return { reach, prepared }
}

async function askTarget(
  call: InferenceCall,
  { reach, prepared }: ReadyCall,
  how: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly hasNext: boolean },
): Promise<InferenceReply> {
  const { services, principal, requestId, dialect } = call
  const { target, isOwnKey } = reach
  const startedAt = performance.now()
  const answered: AnsweredCall = {
    services,
    principal,
    requestId,
    target,
    startedAt,
    inputChars: charsIn(call.body),
  }
  const explain = (error: unknown): unknown => {
    if (how.signal.aborted) return how.signal.reason
    return error instanceof ProviderError ? callersError(error, { provider: target.provider.id, isOwnKey }) : error
  }
  try {
    const reply = await withRetries(async () => await send(services, prepared, how), RETRY, REAL_CLOCK, how.signal)
    const facts = factsOf(call, target)
    const headers = headersOf(reply, reach)
    if (prepared.isStreamed) {
      requireEvents(reply)
      const progress = newProgress()
      const texts = relayStream(reply, prepared, dialect, facts, progress)
      return await startStream({ answered, dialect: dialect.name, reply, texts, progress, headers, explain, ...how })
    }
    const text = await reply.text()
    const { bytes, usage, outputChars } = wholeAnswer(call, prepared, text, facts)
    settleCall(answered, { usage, outputChars, outcome: 'whole' })
    return { status: 200, raw: { kind: 'bytes', bytes }, headers }
  } catch (error) {
    throw explain(error)
  }
}

async function send(
  { upstream }: GatewayServices,
  { url, headers, body, spoken, apiKey, isStreamed }: PreparedCall,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<UpstreamReply> {
  const accept = isStreamed ? 'text/event-stream' : 'application/json'
  const reply = await upstream.send({ url, headers: { accept, ...headers }, body, timeoutMs, signal })
  if (reply.status >= 200 && reply.status <= 299) return reply
  throw await readRefusal(reply, (status, text) => spoken.readError(status, text), apiKey)
}

/** The answer in the caller's dialect; one that the provider gave in it is passed on byte by byte. */
function wholeAnswer(
  { dialect, plain }: InferenceCall,
  { spoken, request }: PreparedCall,
  text: string,
  facts: AnswerFacts,
): { readonly bytes: string; readonly usage: Usage | null; readonly outputChars: number } {
  const body = parseJson(text)
  if (plain !== undefined) return { bytes: text, usage: readPlainAnswer(plain, body), outputChars: 0 }
  const answer = spoken.readAnswer(body, request)
  return {
    bytes: request === null ? text : JSON.stringify(dialect.writeAnswer(answer, facts)),
    usage: answer.usage,
    outputChars: charsOf(answer),
  }
}

/** A provider that answers a stream with something else has not understood the call. */
function requireEvents(reply: UpstreamReply): void {
  if (/^text\/event-stream\b/i.test(reply.headers['content-type'] ?? '')) return
  reply.cancel()
  throw new ProviderError('invalid_response', 'the provider answered with no stream of events', {
    status: reply.status,
  })
}

/** Errors after which another target may answer. */
function mayFallBack(error: unknown, isFallback: boolean): boolean {
  if (isOneOf(error, [GATEWAY_ERRORS.provider_rejected_request])) return error.facts.status === 404
  if (isOneOf(error, [GATEWAY_ERRORS.provider_refused])) return false
  if (isOneOf(error, [GATEWAY_ERRORS.no_provider_key, GATEWAY_ERRORS.not_translatable])) return isFallback
  return error instanceof Error && error.cause instanceof ProviderError
}

const ID_PREFIX = {
  'chat-completions': 'chatcmpl-',
  messages: 'msg_',
  'generate-content': '',
  responses: 'resp_',
} as const

function factsOf({ dialect, requestId, body, services }: InferenceCall, target: Target): AnswerFacts {
  const options = body['stream_options']
  return {
    id: `${ID_PREFIX[dialect.name]}${requestId}`,
    model: target.model,
    createdS: Math.floor(services.now().getTime() / 1000),
    includesUsage: isJsonObject(options) && options['include_usage'] === true,
  }
}

/** Headers of providers that their SDKs read. */
const PASSED_ON = /^(request-id|openai-(processing-ms|version))$/
/** The same that tell what is left of a key's limits: those of the operator's key stay with the operator. */
const OF_OWN_KEYS = /^(x-ratelimit-.*|anthropic-ratelimit-.*)$/

function headersOf(reply: UpstreamReply, { target: { provider, model }, isOwnKey }: FoundReach): ReplyHeaders {
  const passed = Object.entries(reply.headers).filter(
    ([name]) => PASSED_ON.test(name) || (isOwnKey && OF_OWN_KEYS.test(name)),
  )
  return { ...Object.fromEntries(passed), 'x-svc-provider': provider.id, 'x-svc-model': encodeURI(model) }
}

function timeoutOf(request: IncomingMessage, mostMs: number): number {
  const given = headerText(request, TIMEOUT)
  if (given === undefined) return mostMs
  const timeoutMs = Number(given)
  if (!/^\d{4,6}$/.test(given) || timeoutMs < 1000 || timeoutMs > mostMs) {
    throw invalidField(TIMEOUT, `must be milliseconds from 1000 to ${mostMs}`)
  }
  return timeoutMs
}

function headerText({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(',') : value
}

/** The dialect of embeddings and moderations: they have their own bodies and OpenAI's errors. */
export const PLAIN_DIALECT: CallerDialect = CALLER_TABLE['chat-completions']
