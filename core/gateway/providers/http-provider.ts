import { hashJson } from '../../kernel/json/json.ts'
import type { ProviderDialect, WireShape } from '../protocol/dialects/dialect.ts'
import { relaxShape } from '../protocol/dialects/relax-shape.ts'
import { DIALECT_TABLE } from '../protocol/dialects/table.ts'
import type { Finish, ModelAnswer } from '../protocol/exchange/answer.ts'
import { joinTurns, textOf, type ModelRequest } from '../protocol/exchange/request.ts'
import type { DialectName, Provider, ProviderReply, ProviderRequest, SampleFinish } from './provider.ts'
import { ProviderError } from './provider-error.ts'
import { parseJson, readRefusal } from '../protocol/upstream/refusal.ts'
import { openUpstream, type Upstream } from '../protocol/upstream/upstream.ts'

/** Address, model and options of a provider. */
interface ProviderAddress {
  readonly dialect: DialectName
  /** Without a slash at its end; the dialect's own when absent. */
  readonly baseUrl?: string | undefined
  readonly apiKey: string
  readonly model: string
  /** From sending a request to the end of its answer, milliseconds. */
  readonly timeoutMs: number
}

/** The same with connections of its own. */
export interface ProviderOptions extends ProviderAddress {
  /** Maximum number of concurrent connections. */
  readonly connections: number
}

/** Largest answer that is read. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024
/** Maximum number of resends of one call without a refused field. */
const MAX_RELAXATIONS = 4

/**
 * Creates a provider over HTTP with its own connections. Redirects are refused, since they would send the key
 * elsewhere. Errors never hold the key.
 */
export function createProvider(options: ProviderOptions): Provider {
  const { connections, timeoutMs } = options
  const upstream = openUpstream({ connections, maxBytes: MAX_REPLY_BYTES, idleMs: timeoutMs })
  return { ...providerOver(upstream, options), close: async () => await upstream.close() }
}

/** Creates a provider over connections that others share; closing it leaves them open. */
export function providerOver(upstream: Upstream, options: ProviderAddress): Provider {
  const { apiKey, model, timeoutMs } = options
  const dialect = DIALECT_TABLE[options.dialect]
  const baseUrl = (options.baseUrl ?? dialect.defaultBaseUrl).replace(/\/+$/, '')
  let shape = firstShape(dialect, baseUrl)
  /** Options that the model was found to refuse. */
  const refusedOptions = new Set<Option>()

  async function send(
    asked: ProviderRequest,
    { shape: sent, omitted }: Form,
    signal: AbortSignal,
  ): Promise<ProviderReply> {
    const request = modelRequest(asked, model, omitted)
    const startedAt = performance.now()
    const reply = await upstream.send({
      url: baseUrl + dialect.path(model, false),
      // A server of the operator's own may ask for no key.
      headers: { accept: 'application/json', ...(apiKey !== '' && dialect.headers(apiKey)) },
      body: JSON.stringify(dialect.writeRequest(request, sent)),
      timeoutMs,
      signal,
    })
    if (reply.status < 200 || reply.status > 299)
      throw await readRefusal(reply, (status, body) => dialect.readError(status, body), apiKey)
    const answer = dialect.readAnswer(parseJson(await reply.text()), request)
    return { ...samplesOf(answer), model: answer.model || model, latencyMs: Math.round(performance.now() - startedAt) }
  }

  async function ask(request: ProviderRequest, signal: AbortSignal): Promise<ProviderReply> {
    // Other calls change what is known of the model meanwhile, so a refusal is read by what this attempt sent.
    let form: Form = { shape, omitted: new Set(refusedOptions) }
    for (let relaxed = 0; ; relaxed++) {
      signal.throwIfAborted()
      try {
        return await send(request, form, signal)
      } catch (error) {
        if (!(error instanceof ProviderError) || relaxed >= MAX_RELAXATIONS) throw error
        const refused = refusedOption(request, error)
        if (refused !== undefined && !form.omitted.has(refused)) {
          refusedOptions.add(refused)
          form = { ...form, omitted: new Set([...form.omitted, refused]) }
          continue
        }
        const next = relaxShape(form.shape, error)
        if (next === null) throw error
        shape = next
        form = { ...form, shape: next }
      }
    }
  }

  return {
    dialect: dialect.name,
    model,
    identity: hashJson({ dialect: dialect.name, base: baseUrl, model }),
    maxSamplesPerCall: dialect.maxSamplesPerCall,
    ask,
    close: async () => undefined,
  }
}

/** Returns the first shape to send. Compatible servers all know the older name of the output bound. */
function firstShape(dialect: ProviderDialect, baseUrl: string): WireShape {
  const isOwn = baseUrl === dialect.defaultBaseUrl
  return {
    maxTokensField: isOwn ? 'max_completion_tokens' : 'max_tokens',
    sendsTemperature: true,
    structure: 'schema',
  }
}

/** Options without which a request asks the same question. */
const OPTIONS = ['stop', 'seed'] as const
type Option = (typeof OPTIONS)[number]

/** The form in which one attempt sends its question. */
interface Form {
  readonly shape: WireShape
  /** Options that it leaves out. */
  readonly omitted: ReadonlySet<Option>
}

/** Returns the option of a request that a refusal names. */
function refusedOption(request: ProviderRequest, { failure, message }: ProviderError): Option | undefined {
  if (failure !== 'invalid_request') return undefined
  return OPTIONS.find((name) => request[name] !== undefined && new RegExp(String.raw`\b${name}\b`).test(message))
}

function modelRequest(asked: ProviderRequest, model: string, omitted: ReadonlySet<Option>): ModelRequest {
  const { messages, schema, wantsJson, temperature, topP, seed, maxTokens, stop = [], n } = asked
  return {
    model,
    system: messages.flatMap(({ role, text }) => (role === 'system' ? [text] : [])),
    turns: joinTurns(
      messages.flatMap(({ role, text }) => (role === 'system' ? [] : [{ role, parts: [{ kind: 'text', text }] }])),
    ),
    tools: [],
    maxTokens,
    temperature,
    topP,
    seed: omitted.has('seed') ? undefined : seed,
    stop: omitted.has('stop') ? [] : stop,
    format:
      schema === undefined
        ? wantsJson === true
          ? { kind: 'json' }
          : undefined
        : { kind: 'schema', ...schema, isStrict: true },
    n,
    isStreamed: false,
  }
}

const FINISHES: Readonly<Record<Finish, SampleFinish>> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  tool_calls: 'other',
  refusal: 'refusal',
  other: 'other',
}

function samplesOf({ choices, usage }: ModelAnswer): Pick<ProviderReply, 'samples' | 'usage'> {
  return {
    samples: choices.map(({ parts, finish }) => ({ text: textOf(parts), finish: FINISHES[finish] })),
    usage: usage && {
      inputTokens: usage.inputTokens,
      cachedTokens: usage.cachedTokens,
      outputTokens: usage.outputTokens,
    },
  }
}
