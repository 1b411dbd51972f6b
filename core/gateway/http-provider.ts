import { Agent, fetch, type Response } from 'undici'
import { hashJson, type Json } from '../kernel/json/json.ts'
import type { Dialect, WireError, WireShape } from './dialects/dialect.ts'
import { relaxShape } from './dialects/relax-shape.ts'
import { DIALECT_TABLE } from './dialects/table.ts'
import type { DialectName, Provider, ProviderReply, ProviderRequest } from './provider.ts'
import { ProviderError } from './provider-error.ts'
import { readRetryAfter } from './retry-after.ts'

/** Address, model and options of a provider. */
export interface ProviderOptions {
  readonly dialect: DialectName
  /** Without a slash at its end; the dialect's own when absent. */
  readonly baseUrl?: string | undefined
  readonly apiKey: string
  readonly model: string
  /** From sending a request to the end of its answer, milliseconds. */
  readonly timeoutMs: number
  /** Maximum number of concurrent connections. */
  readonly connections: number
}

const CONNECT_TIMEOUT_MS = 10_000
/** Largest answer that is read. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024
/** Maximum length of a provider's error message, characters. */
const MAX_MESSAGE_CHARS = 500
/** Maximum number of resends of one call without a refused field. */
const MAX_RELAXATIONS = 4

/**
 * Creates a provider over HTTP with its own connections. Redirects are refused, since they would send the key
 * elsewhere. Errors never hold the key.
 */
export function createProvider(options: ProviderOptions): Provider {
  const dialect = DIALECT_TABLE[options.dialect]
  const baseUrl = (options.baseUrl ?? dialect.defaultBaseUrl).replace(/\/+$/, '')
  const dispatcher = new Agent({
    connections: options.connections,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
  })
  let shape = firstShape(dialect, baseUrl)

  async function send(request: ProviderRequest, sent: WireShape, signal: AbortSignal): Promise<ProviderReply> {
    const { path, body } = dialect.encode(request, options.model, sent)
    const startedAt = performance.now()
    const timeout = AbortSignal.timeout(options.timeoutMs)
    try {
      const response = await fetch(baseUrl + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...dialect.headers(options.apiKey) },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.any([signal, timeout]),
        dispatcher,
      })
      const answer = parseJson(await readText(response))
      if (!response.ok) throw toError(dialect.decodeError(response.status, answer), response, options.apiKey)
      const reply = dialect.decode(answer)
      return { ...reply, model: reply.model || options.model, latencyMs: Math.round(performance.now() - startedAt) }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (error instanceof ProviderError) throw error
      if (timeout.aborted) {
        throw new ProviderError('timeout', `the provider did not answer within ${options.timeoutMs} ms`)
      }
      throw new ProviderError('connection', 'the connection to the provider failed', { cause: error })
    }
  }

  async function ask(request: ProviderRequest, signal: AbortSignal): Promise<ProviderReply> {
    for (let relaxed = 0; ; relaxed++) {
      signal.throwIfAborted()
      const sent = shape
      try {
        return await send(request, sent, signal)
      } catch (error) {
        const next = error instanceof ProviderError && relaxed < MAX_RELAXATIONS ? relaxShape(sent, error) : null
        if (next === null) throw error
        shape = next
      }
    }
  }

  return {
    dialect: dialect.name,
    model: options.model,
    identity: hashJson({ dialect: dialect.name, base: baseUrl, model: options.model }),
    maxSamplesPerCall: dialect.maxSamplesPerCall,
    ask,
    close: async () => await dispatcher.destroy(),
  }
}

/** Returns the first shape to send. Compatible servers all know the older name of the output bound. */
function firstShape(dialect: Dialect, baseUrl: string): WireShape {
  const isOwn = baseUrl === dialect.defaultBaseUrl
  return {
    maxTokensField: isOwn ? 'max_completion_tokens' : 'max_tokens',
    sendsTemperature: true,
    structure: 'schema',
  }
}

function toError({ failure, message, retryAfterS }: WireError, response: Response, apiKey: string): ProviderError {
  const { status, headers } = response
  const said = message.replaceAll(apiKey, '[key]').slice(0, MAX_MESSAGE_CHARS)
  return new ProviderError(failure, `the provider answered ${status}${said === '' ? '' : `: ${said}`}`, {
    status,
    retryAfterS: readRetryAfter(headers, Date.now()) ?? retryAfterS,
    requestId: headers.get('x-request-id') ?? headers.get('request-id') ?? undefined,
  })
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    if (!(chunk instanceof Uint8Array)) continue
    sizeBytes += chunk.length
    if (sizeBytes > MAX_REPLY_BYTES) throw new ProviderError('invalid_response', 'the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns null for text that is not JSON, such as a proxy's error page; a dialect then finds no answer. */
function parseJson(text: string): Json {
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch {
    return null
  }
}
