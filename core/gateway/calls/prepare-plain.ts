import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import { writeForm, type SentFile } from '../protocol/audio/write-form.ts'
import type { CallerDialect } from '../protocol/dialects/dialect.ts'
import { Count, readCaller, refuseField } from '../protocol/dialects/fields.ts'
import { camelNames } from '../protocol/dialects/generate-content/names.ts'
import { readReply } from '../protocol/dialects/read-body.ts'
import { CALLER_TABLE } from '../protocol/dialects/table.ts'
import { usageOf } from '../protocol/exchange/answer.ts'
import { ProviderError } from '../providers/provider-error.ts'
import { headersOf, type PlainAnswer, type PreparedCall, type Reach } from './prepare.ts'
import { isAudioKind, type PlainKind } from './providers.ts'

/**
 * Prepares a call in a form of its own: embeddings, moderations and sound in OpenAI's, embeddings also in Google's, and counts
 * of tokens in the caller's. `file` is the sound that goes with it. Throws `not_translatable` for a provider that does not
 * have it.
 */
export function preparePlain(
  kind: PlainKind,
  caller: CallerDialect,
  body: JsonObject,
  reach: Reach,
  file?: SentFile,
): PreparedCall {
  if (kind === 'token-counts') return prepareCount(caller, body, reach)
  if (kind === 'embeddings' && caller.name === 'generate-content') return prepareContentEmbeddings(body, reach)
  return prepareOpenAi(kind, body, reach, file)
}

function prepareOpenAi(
  kind: Exclude<PlainKind, 'token-counts'>,
  body: JsonObject,
  reach: Reach,
  file?: SentFile,
): PreparedCall {
  const { provider, model } = reach.target
  const prefix = provider.plain[kind]
  const spoken = CALLER_TABLE['chat-completions']
  if (prefix === undefined) return refuseField('model', `${provider.label} has no ${kind}`)
  return {
    url: `${reach.baseUrl}${prefix}/${isAudioKind(kind) ? `audio/${kind}` : kind}`,
    headers: headersOf(spoken, reach, false),
    body: { ...body, model },
    ...(file !== undefined && { form: writeForm({ ...body, model }, file) }),
    apiKey: reach.apiKey,
    spoken,
    request: null,
    isStreamed: isAudioKind(kind) && (body['stream'] === true || body['stream_format'] === 'sse'),
  }
}

/** The addresses at which tokens are counted, by the protocol that has one. */
const COUNTS: Readonly<Partial<Record<CallerDialect['name'], (model: string) => string>>> = {
  messages: () => '/v1/messages/count_tokens',
  'generate-content': (model) => `/v1beta/models/${encodeURIComponent(model)}:countTokens`,
}
const MessageCount = z.looseObject({ input_tokens: Count })
const ContentCount = z.looseObject({ totalTokens: Count })

/** Prepares a count of tokens: by the provider of the model, which alone has its tokenizer. */
function prepareCount(caller: CallerDialect, body: JsonObject, reach: Reach): PreparedCall {
  const { provider, model } = reach.target
  const path = COUNTS[caller.name]
  const prefix = provider.speaks.find(([name]) => name === caller.name)?.[1]
  if (path === undefined || prefix === undefined) {
    return refuseField('model', `${provider.label} counts no tokens in this protocol: only the provider of a model can`)
  }
  const isContent = caller.name === 'generate-content'
  const given = isContent ? camelNames(body) : body
  const { model: _named, stream: _stream, generateContentRequest: whole, ...rest } = given
  return {
    url: `${reach.baseUrl}${prefix}${path(model)}`,
    headers: headersOf(CALLER_TABLE[caller.name], reach, true),
    body: {
      ...(!isContent && { model }),
      ...rest,
      ...(whole !== undefined &&
        isJsonObject(whole) && { generateContentRequest: { ...whole, model: `models/${model}` } }),
    },
    apiKey: reach.apiKey,
    spoken: CALLER_TABLE[caller.name],
    request: null,
    isStreamed: false,
    readPlain: (answer) => {
      readReply<object>(isContent ? ContentCount : MessageCount, answer)
      // Counting is free of charge.
      return { usage: usageOf({}) }
    },
  }
}

const Embed = z.looseObject({
  content: z.looseObject({ parts: z.array(z.looseObject({ text: z.string().optional() })).min(1) }),
  outputDimensionality: z.int().min(1).nullish(),
  model: z.string().optional(),
})
const Batch = z.looseObject({ requests: z.array(Embed).min(1), model: z.string().optional() })
/** No member refuses a call: `taskType` and `title` only shape a vector for its use. */
const NOTHING_UNTRANSLATED = { hints: new Set<string>(), refused: {} }
const Vectors = z.looseObject({
  data: z.array(z.looseObject({ index: z.int().nullish(), embedding: z.array(z.number()) })),
  usage: z.looseObject({ prompt_tokens: Count }).nullish(),
})
const ContentVector = z.looseObject({ values: z.array(z.number()).min(1) })
const OneVector = z.looseObject({ embedding: ContentVector })
const ContentVectors = z.looseObject({ embeddings: z.array(ContentVector) })

/** Prepares embeddings in Google's form: passed on to Google, and translated into OpenAI's form for others. */
function prepareContentEmbeddings(given: JsonObject, reach: Reach): PreparedCall {
  const { provider } = reach.target
  const { stream: _stream, ...body } = camelNames(given)
  const isBatch = body['requests'] !== undefined
  const prefix = provider.speaks.find(([name]) => name === 'generate-content')?.[1]
  if (prefix !== undefined) return passedEmbeddings(body, { reach, prefix, isBatch })
  const { read, leftOut } = isBatch
    ? readCaller(Batch, body, NOTHING_UNTRANSLATED)
    : { ...readCaller(Embed, body, NOTHING_UNTRANSLATED), read: { requests: [Embed.parse(body)] } }
  const requests = read.requests
  const [dimensions] = requests.map(({ outputDimensionality: size }) => size ?? undefined)
  if (requests.some(({ outputDimensionality: size }) => (size ?? undefined) !== dimensions)) {
    refuseField('requests[0].outputDimensionality', 'must be the same in all requests for this provider')
  }
  const input = requests.map(({ content }, i) => {
    const field = isBatch ? `requests[${i}].content.parts` : 'content.parts'
    return content.parts
      .map(({ text }, at) => text ?? refuseField(`${field}[${at}]`, `${provider.label} makes vectors of texts only`))
      .join('')
  })
  return {
    ...prepareOpenAi('embeddings', { input, encoding_format: 'float', ...(dimensions && { dimensions }) }, reach),
    leftOut: isBatch ? [...leftOut, ...leftOutOf(body)] : leftOut,
    readPlain: (answer): PlainAnswer => {
      const { data, usage } = readReply(Vectors, answer)
      requireVectors(data.length, input.length)
      const byPlace = new Map(data.map(({ index, embedding }, i) => [index ?? i, embedding] as const))
      const embeddings = input.map((_text, i) => {
        const values = byPlace.get(i) ?? []
        if (values.length === 0)
          throw new ProviderError('invalid_response', `the provider gave no vector of input ${i}`)
        return { values }
      })
      const [embedding = { values: [] }] = embeddings
      return {
        usage: usage ? usageOf({ inputTokens: usage.prompt_tokens }) : null,
        written: isBatch ? { embeddings } : { embedding },
      }
    },
  }

  function leftOutOf({ requests: all }: JsonObject): readonly string[] {
    const names = (Array.isArray(all) ? all : []).flatMap((one: Json) =>
      isJsonObject(one) ? readCaller(Embed, one, NOTHING_UNTRANSLATED).leftOut : [],
    )
    return [...new Set(names)].map((name) => `requests[].${name}`)
  }
}

/** Throws `ProviderError` `invalid_response` for more or fewer vectors than inputs. */
function requireVectors(given: number, asked: number): void {
  if (given === asked) return
  throw new ProviderError('invalid_response', `the provider gave ${given} vectors of ${asked} inputs`)
}

function passedEmbeddings(
  { model: _named, ...body }: JsonObject,
  { reach, prefix, isBatch }: { readonly reach: Reach; readonly prefix: string; readonly isBatch: boolean },
): PreparedCall {
  const spoken = CALLER_TABLE['generate-content']
  const { baseUrl, apiKey, target } = reach
  const name = `models/${target.model}`
  const { requests } = body
  return {
    url: `${baseUrl}${prefix}/v1beta/models/${encodeURIComponent(target.model)}:${isBatch ? 'batchEmbedContents' : 'embedContent'}`,
    headers: headersOf(spoken, reach, true),
    body: {
      ...body,
      ...(Array.isArray(requests)
        ? { requests: requests.map((one: Json) => (isJsonObject(one) ? { ...one, model: name } : one)) }
        : { model: name }),
    },
    apiKey,
    spoken,
    request: null,
    isStreamed: false,
    readPlain: (answer) => {
      if (Array.isArray(requests)) {
        requireVectors(readReply(ContentVectors, answer).embeddings.length, requests.length)
      } else readReply(OneVector, answer)
      return { usage: null }
    },
  }
}
