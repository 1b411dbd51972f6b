import { z } from 'zod'
import type { Json } from '../../../kernel/json/json.ts'
import type { GatewayProvider } from '../../calls/providers.ts'
import { ProviderError } from '../../providers/provider-error.ts'
import { CALLER_TABLE } from '../dialects/table.ts'
import { parseJson, readRefusal } from './refusal.ts'
import type { Upstream } from './upstream.ts'

/** A model as its provider lists it. */
export interface ListedModel {
  /** The provider's own name of it. */
  readonly name: string
  readonly label: string
  /** Seconds since 1970; 0 where the provider does not say. */
  readonly createdS: number
}

/** The address of a provider and a key there. */
export interface ListReach {
  readonly baseUrl: string
  /** Empty for a server that asks for none. */
  readonly apiKey: string
}

const TIMEOUT_MS = 5000
const MOST_BYTES = 2 * 1024 * 1024
const MOST_MODELS = 5000
const MOST_NAME_CHARS = 256
/** The end of the year 9999, seconds since 1970: a later time is in another unit. */
const LAST_S = 253_402_300_799

/** An entry of a list. A member of another type counts as absent, so that one odd entry does not cost the list. */
const Entry = z.looseObject({
  id: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  display_name: z.string().nullish().catch(null),
  displayName: z.string().nullish().catch(null),
  created: z.number().nullish().catch(null),
  created_at: z.union([z.string(), z.number()]).nullish().catch(null),
})
/** OpenAI's, Anthropic's and Google's lists, and a bare one. */
const List = z.union([
  z.array(z.unknown()).transform((data) => data),
  z.looseObject({ data: z.array(z.unknown()) }).transform(({ data }) => data),
  z.looseObject({ models: z.array(z.unknown()) }).transform(({ models }) => models),
])

/**
 * Asks a provider for its models, at most 5000 of them. Throws `ProviderError`: its refusal, `timeout` after five seconds, and
 * `invalid_response` for what is no list or larger than 2 MiB.
 */
export async function listModels(
  upstream: Upstream,
  provider: GatewayProvider,
  { baseUrl, apiKey }: ListReach,
): Promise<readonly ListedModel[]> {
  const [spoken] = provider.speaks[0] ?? ['chat-completions']
  const dialect = CALLER_TABLE[spoken]
  const reply = await upstream.send({
    method: 'GET',
    url: `${baseUrl}${provider.modelList}`,
    headers: { accept: 'application/json', ...(apiKey !== '' && dialect.headers(apiKey)) },
    body: null,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MOST_BYTES,
    // Callers share the answer, so none of them ends the work.
    signal: new AbortController().signal,
  })
  if (reply.status !== 200) throw await readRefusal(reply, (status, body) => dialect.readError(status, body), apiKey)
  return readList(parseJson(await reply.text()))
}

function readList(body: Json): readonly ListedModel[] {
  const read = List.safeParse(body)
  if (!read.success) throw new ProviderError('invalid_response', 'the provider answered with no list of models')
  return read.data.slice(0, MOST_MODELS).flatMap((entry) => {
    const parsed = Entry.safeParse(entry)
    return parsed.success ? modelOf(parsed.data) : []
  })
}

function modelOf(entry: z.output<typeof Entry>): readonly ListedModel[] {
  const name = entry.id ?? entry.name?.replace(/^models\//, '') ?? ''
  if (name === '' || name.length > MOST_NAME_CHARS) return []
  const { created, created_at: at } = entry
  const createdS = created ?? (typeof at === 'string' ? Date.parse(at) / 1000 : (at ?? 0))
  const label = entry.display_name ?? entry.displayName ?? name
  return [{ name, label, createdS: createdS >= 0 && createdS <= LAST_S ? Math.trunc(createdS) : 0 }]
}
