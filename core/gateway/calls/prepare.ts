import { invalidField } from '../../kernel/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import type { CallerDialect, SpokenDialect, WireShape } from '../protocol/dialects/dialect.ts'
import { refuseField } from '../protocol/dialects/fields.ts'
import { CALLER_TABLE, DIALECT_TABLE } from '../protocol/dialects/table.ts'
import { GATEWAY_ERRORS } from '../errors.ts'
import type { ProviderError } from '../providers/provider-error.ts'
import type { Usage } from '../protocol/exchange/answer.ts'
import type { ModelRequest } from '../protocol/exchange/request.ts'
import type { StreamedBody } from '../protocol/upstream/upstream.ts'
import { fitRequest } from './fit-request.ts'
import type { Target } from './target.ts'

/** Google's refusal of JSON mode for this model, or beside functions. It refuses a schema that it cannot follow in other words. */
const JSON_MODE_REFUSED = /response[_ ]?mime[_ ]?type/i

/** The way to a target. */
export interface Reach {
  readonly target: Target
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** Empty for a server that asks for none. */
  readonly apiKey: string
  /** Headers of the caller that its own dialect knows. */
  readonly callerHeaders: Readonly<Record<string, string>>
}

/** A call that is ready to be sent. */
export interface PreparedCall {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject
  /** Sent in place of the body: a form with a file. */
  readonly form?: StreamedBody
  readonly apiKey: string
  /** The dialect of the answer. */
  readonly spoken: SpokenDialect
  /** The request where it was translated; null when the caller speaks the provider's dialect. */
  readonly request: ModelRequest | null
  readonly isStreamed: boolean
  /** Paths of the members of the caller's body that are not sent; none when absent. */
  readonly leftOut?: readonly string[] | undefined
  /** Returns the call that asks for a structured answer in the next way, after the provider refused this one; null without one. */
  readonly relax?: (refusal: ProviderError) => PreparedCall | null
  /** Reads the answer to a call in a form of its own; by its kind when absent. */
  readonly readPlain?: (body: Json) => PlainAnswer
}

/** An answer in a form of its own. */
export interface PlainAnswer {
  /** Null when the provider does not report it. */
  readonly usage: Usage | null
  /** The answer in the caller's form; absent where the provider gives it so. */
  readonly written?: JsonObject
}

/**
 * Prepares a call of a model: passed through to a provider that speaks the caller's dialect, else translated. Throws
 * `validation_failed` and `not_translatable` before anything is sent.
 */
export function prepareCall(caller: CallerDialect, body: JsonObject, reach: Reach): PreparedCall {
  const { provider, model } = reach.target
  if (!provider.takesImages && hasMedia(body)) refuseField('model', `${provider.label} takes no images or files`)
  const own = provider.speaks.find(([name]) => name === caller.name)
  if (own !== undefined) {
    const spoken = CALLER_TABLE[caller.name]
    const isStreamed = body['stream'] === true
    return {
      ...addressOf(spoken, own[1], reach, isStreamed),
      headers: headersOf(spoken, reach, true),
      body: passedBody(caller, body, model),
      request: null,
      isStreamed,
    }
  }
  const [name, prefix] = translatedBy(reach.target)
  const dialect = DIALECT_TABLE[name]
  const request = fitRequest(caller.name, caller.readRequest(body), reach.target, dialect)
  const inShape = (shape: WireShape): PreparedCall => ({
    ...addressOf(dialect, prefix, reach, request.isStreamed),
    headers: headersOf(dialect, reach, false),
    body: dialect.writeRequest(request, shape),
    request,
    isStreamed: request.isStreamed,
    leftOut: request.leftOut,
    // The other dialects drop what they cannot ask for, so there the refusal is the caller's.
    ...(name === 'generate-content' &&
      request.format !== undefined && {
        // In words at once: plain JSON mode would leave the schema out.
        relax: ({ failure, message }: ProviderError) => {
          if (failure !== 'invalid_request' || !JSON_MODE_REFUSED.test(message) || shape.structure === 'words')
            return null
          return inShape({ ...shape, structure: 'words' })
        },
      }),
  })
  return inShape(shapeFor(provider.id))
}

/** Returns the dialect in which a provider is asked for what comes in another, and what stands before its path. */
export function translatedBy({
  provider,
}: Target): readonly ['chat-completions' | 'messages' | 'generate-content', string] {
  for (const [name, prefix] of provider.speaks) if (name !== 'responses') return [name, prefix]
  throw invalidField('model', `${provider.label} cannot be asked so`, GATEWAY_ERRORS.not_translatable)
}

function addressOf(
  spoken: SpokenDialect,
  prefix: string,
  { baseUrl, target, apiKey }: Reach,
  isStreamed: boolean,
): Pick<PreparedCall, 'url' | 'apiKey' | 'spoken'> {
  return { url: `${baseUrl}${prefix}${spoken.path(target.model, isStreamed)}`, apiKey, spoken }
}

/** Returns the headers of a call: the key, and those of the caller where its body is passed on. */
export function headersOf(spoken: SpokenDialect, { apiKey, callerHeaders }: Reach, isPassed: boolean) {
  return { ...(apiKey !== '' && spoken.headers(apiKey)), ...(isPassed && callerHeaders) }
}

/** The caller's own body with the provider's name of the model. A stream is asked for its counts, which it ends with. */
function passedBody({ name }: CallerDialect, body: JsonObject, model: string): JsonObject {
  const { stream, stream_options: options, model: _named, ...rest } = body
  // There, the address holds both.
  if (name === 'generate-content') return rest
  const counted = isJsonObject(options) ? { ...options, include_usage: true } : { include_usage: true }
  return {
    model,
    ...rest,
    ...(stream !== undefined && { stream }),
    ...(name === 'chat-completions' && stream === true
      ? { stream_options: counted }
      : options !== undefined && { stream_options: options }),
  }
}

/** OpenAI's newer models know the new name of the output bound only, and compatible servers all know the older one. */
function shapeFor(id: string): WireShape {
  return {
    maxTokensField: id === 'openai' ? 'max_completion_tokens' : 'max_tokens',
    sendsTemperature: true,
    structure: 'schema',
  }
}

const MEDIA_TYPES: ReadonlySet<Json | undefined> = new Set([
  'image_url',
  'input_image',
  'image',
  'file',
  'input_file',
  'document',
  'input_audio',
])

function hasMedia(value: Json): boolean {
  if (Array.isArray(value)) return value.some((entry: Json) => hasMedia(entry))
  if (!isJsonObject(value)) return false
  if (MEDIA_TYPES.has(value['type']) || value['inlineData'] !== undefined) return true
  return Object.values(value).some((member) => typeof member === 'object' && hasMedia(member))
}
