import type { Usage } from '../protocol/exchange/answer.ts'
import type { ProviderRequest, TokenUsage } from './provider.ts'

/** Prices of a model, US dollars per million tokens. */
export interface Prices {
  readonly input: number
  readonly cached: number
  readonly output: number
}

/** Prices with where they come from. */
export interface KnownPrices extends Prices {
  /** `operator`, or the date of the price list. */
  readonly source: string
  /** Address of the price list; absent for the operator's prices. */
  readonly page?: string
  /** Prices of tokens that are written to the provider's cache, as multiples of the input price; absent where unknown. */
  readonly cacheWrites?: CacheWrites
  /** Prices of a call with a longer prompt; absent where all prompts have the same. */
  readonly long?: LongPrompts
}

/** Multiples of the input price, by the time for which the provider keeps what is written to its cache. */
interface CacheWrites {
  readonly fiveMinutes: number
  readonly hour: number
}

/** Prices of calls with more prompt tokens than a bound; null where they are not known. */
interface LongPrompts {
  readonly aboveTokens: number
  readonly prices: Prices | null
}

/** Prices of a provider's models as they were on a day, by its public price list. */
interface PriceList {
  readonly asOf: string
  readonly page: string
  readonly cacheWrites?: CacheWrites
  /** Model to input, cached and output price. Without a price for cached tokens, the input price applies. */
  readonly models: Readonly<Record<string, readonly [input: number, cached: number, output: number]>>
}

/**
 * List prices, without batch or regional terms; those of long prompts stand in `LONG_PROMPTS`. A name covers its dated snapshots
 * too (`name-2025-01-31`, `name-20250131`). The operator's own prices take precedence.
 */
const PRICE_LISTS: readonly PriceList[] = [
  {
    asOf: '2026-10-24',
    page: 'https://platform.claude.com/docs/en/about-claude/pricing',
    cacheWrites: { fiveMinutes: 1.25, hour: 2 },
    models: {
      'claude-fable-5-1': [10, 0.25, 50],
      'claude-opus-5-5': [4, 0.2, 20],
      'claude-opus-5': [5, 0.5, 25],
      'claude-opus-4-8': [5, 0.5, 25],
      'claude-opus-4-7': [5, 0.5, 25],
      'claude-opus-4-6': [5, 0.5, 25],
      'claude-opus-4-5': [5, 0.5, 25],
      'claude-sonnet-5-5': [2, 0.1, 10],
      'claude-sonnet-5': [2, 0.2, 10],
      'claude-sonnet-4-6': [3, 0.3, 15],
      'claude-sonnet-4-5': [3, 0.3, 15],
      'claude-haiku-5-5': [0.1, 0.01, 0.5],
      'claude-haiku-4-5': [1, 0.1, 5],
    },
  },
  {
    asOf: '2026-06-04',
    page: 'https://openai.com/api/pricing/',
    models: {
      'gpt-5.5': [5, 0.5, 30],
      'gpt-5.4': [2.5, 0.25, 15],
      'gpt-5.4-mini': [0.75, 0.075, 4.5],
      'gpt-5.4-nano': [0.2, 0.02, 1.25],
      'gpt-5.2': [1.75, 0.175, 14],
      'gpt-5.1': [1.25, 0.125, 10],
    },
  },
  {
    asOf: '2026-03-31',
    page: 'https://ai.google.dev/gemini-api/docs/pricing',
    models: {
      'gemini-2.5-pro': [1.25, 1.25, 10],
      'gemini-2.5-flash': [0.3, 0.3, 2.5],
      'gemini-2.5-flash-lite': [0.1, 0.1, 0.4],
    },
  },
  {
    asOf: '2025-12-01',
    page: 'https://openai.com/api/pricing/',
    models: {
      'gpt-5': [1.25, 0.125, 10],
      'gpt-5-mini': [0.25, 0.025, 2],
      'gpt-5-nano': [0.05, 0.005, 0.4],
      'gpt-4.1': [2, 0.5, 8],
      'gpt-4.1-mini': [0.4, 0.1, 1.6],
      'gpt-4.1-nano': [0.1, 0.025, 0.4],
      'gpt-4o': [2.5, 1.25, 10],
      'gpt-4o-mini': [0.15, 0.075, 0.6],
      'o4-mini': [1.1, 0.275, 4.4],
      o3: [2, 0.5, 8],
    },
  },
]

/** Prices of models that have others for long prompts, by the same lists. */
const LONG_PROMPTS: Readonly<Record<string, LongPrompts>> = {
  'claude-haiku-5-5': { aboveTokens: 100_000, prices: { input: 0.5, cached: 0.05, output: 2.5 } },
  'claude-sonnet-4-5': { aboveTokens: 200_000, prices: null },
  'gpt-5.5': { aboveTokens: 272_000, prices: null },
  'gpt-5.4': { aboveTokens: 272_000, prices: { input: 5, cached: 0.5, output: 22.5 } },
  'gemini-2.5-pro': { aboveTokens: 200_000, prices: { input: 2.5, cached: 2.5, output: 15 } },
}

/** Above this number of prompt tokens the list price may be higher than the table's. */
const TABLE_INPUT_TOKENS = 100_000
/** Tokens that a provider may add around each message and around the whole request. */
const MESSAGE_TOKENS = 16
const REQUEST_TOKENS = 512

/**
 * Returns the prices of a model: the operator's, else those of the table. Null when neither has any: no request is sent
 * then, since a call of unknown cost cannot be kept within a budget.
 */
export function pricesOf(model: string, operator: Prices | undefined): KnownPrices | null {
  if (operator !== undefined) return { ...operator, source: 'operator' }
  const name = undated(model)
  for (const { asOf, page, cacheWrites, models } of PRICE_LISTS) {
    const listed = Object.hasOwn(models, name) ? models[name] : undefined
    if (listed === undefined) continue
    const [input, cached, output] = listed
    const long = LONG_PROMPTS[name]
    return {
      input,
      cached,
      output,
      source: `price list of ${asOf}`,
      page,
      ...(cacheWrites && { cacheWrites }),
      ...(long && { long }),
    }
  }
  return null
}

/** Returns the name under which a model is in the price lists, without the date of a version; null when it is in none. */
export function listedName(model: string): string | null {
  const name = undated(model)
  return PRICE_LISTS.some(({ models }) => Object.hasOwn(models, name)) ? name : null
}

function undated(model: string): string {
  return model.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8})$/, '')
}

/**
 * Returns the cost of a call in millionths of a US dollar, rounded up. A price of 1 USD per million tokens is one of
 * them per token.
 */
export function costMicros(prices: Prices, usage: TokenUsage): number {
  const cached = Math.min(usage.cachedTokens, usage.inputTokens)
  const input = (usage.inputTokens - cached) * prices.input + cached * prices.cached
  return Math.ceil(Number((input + usage.outputTokens * prices.output).toFixed(6)))
}

/**
 * Returns the cost of a call of a model likewise, with what it wrote to the provider's cache and at the price of its prompt's
 * length. Null where one of the prices is not known.
 */
export function callCostMicros(prices: KnownPrices, usage: Usage): number | null {
  const { cacheWrites, long } = prices
  const priced = long !== undefined && usage.inputTokens > long.aboveTokens ? long.prices : prices
  if (priced === null) return null
  const cached = Math.min(usage.cachedTokens, usage.inputTokens)
  const written = Math.min(usage.cacheWriteTokens, usage.inputTokens - cached)
  if (written === 0) return costMicros(priced, usage)
  if (cacheWrites === undefined) return null
  const hour = Math.min(usage.hourCacheWriteTokens ?? 0, written)
  // Written tokens at the input price are a part of it already.
  const surcharge = (written - hour) * (cacheWrites.fiveMinutes - 1) + hour * (cacheWrites.hour - 1)
  return costMicros(priced, usage) + Math.ceil(Number((surcharge * priced.input).toFixed(6)))
}

/**
 * The most that a request can cost, in millionths of a US dollar. No tokenizer in use makes more tokens than a text has
 * bytes of UTF-8, since each falls back to single bytes. Null for a prompt so long that the table's prices do not hold
 * for it: such a request must not be made.
 */
export function worstCaseMicros(prices: KnownPrices, request: ProviderRequest): number | null {
  const text = request.messages.reduce((sum, { text: one }) => sum + Buffer.byteLength(one) + MESSAGE_TOKENS, 0)
  const schema = request.schema === undefined ? 0 : Buffer.byteLength(JSON.stringify(request.schema))
  const inputTokens = text + schema + REQUEST_TOKENS
  if (inputTokens > TABLE_INPUT_TOKENS && prices.source !== 'operator') return null
  const dearest = Math.max(prices.input, prices.cached)
  return Math.ceil(inputTokens * dearest + request.maxTokens * request.n * prices.output)
}
