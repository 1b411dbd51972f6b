import type { Json, JsonObject } from '../../kernel/json/json.ts'
import { isJsonObject } from '../../kernel/json/json.ts'
import { pricesOf } from '../providers/prices.ts'
import { inlineMedia, isAddress, isCallerData } from '../protocol/media/inline-media.ts'
import { isEncoded, mediaText } from '../protocol/media/media-text.ts'
import type { PlainKind } from './providers.ts'
import type { Target } from './target.ts'
import { worstPrices } from './worst-prices.ts'

/** Tokens of an answer whose request bounds none: the most that models in use give. */
const MOST_OUTPUT_TOKENS = 128_000
/** Tokens that an image, a sound or a page counts at most, for what is common. */
const MEDIA_TOKENS = 8_192
const REQUEST_TOKENS = 512
const MESSAGE_TOKENS = 16
const BOUNDS = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'] as const

/**
 * The most that a call can cost at a target, in millionths of a US dollar; null when the model has no known price. No
 * tokenizer in use makes more tokens than a text has bytes of UTF-8.
 */
export function worstCaseOf(
  { provider, model }: Target,
  body: JsonObject,
  plain: PlainKind | undefined,
): number | null {
  // Moderations and counts of tokens are free of charge.
  if (!provider.needsKey || plain === 'moderations' || plain === 'token-counts') return 0
  const prices = pricesOf(model, undefined)
  if (prices === null) return null
  const inputTokens = tokensOf(body) + REQUEST_TOKENS
  const worst = worstPrices(prices, inputTokens, body)
  const outputTokens = plain === undefined ? outputBound(body) * samplesOf(body) : 0
  return Math.ceil(inputTokens * worst.input + outputTokens * worst.output)
}

/** A bound below one token bounds nothing. */
function outputBound(body: JsonObject): number {
  const config = body['generationConfig'] ?? body['generation_config']
  const given = [
    ...BOUNDS.map((name) => body[name]),
    ...(isJsonObject(config) ? [config['maxOutputTokens'], config['max_output_tokens']] : []),
  ].filter((bound): bound is number => typeof bound === 'number' && bound >= 1)
  return given.length === 0 ? MOST_OUTPUT_TOKENS : Math.max(...given)
}

function samplesOf(body: JsonObject): number {
  const config = body['generationConfig'] ?? body['generation_config']
  const given =
    body['n'] ?? (isJsonObject(config) ? (config['candidateCount'] ?? config['candidate_count']) : undefined)
  return typeof given === 'number' && given > 1 ? given : 1
}

/** No address of a file is longer: longer ones are counted as texts. */
const MOST_ADDRESS_CHARS = 8192

/** The counts of bodies, each of which is weighed for every target of its chain. */
const counted = new WeakMap<JsonObject, number>()

/** Keeps the most tokens of a body that were counted beside the event loop. */
export function rememberTokens(body: JsonObject, tokens: number): void {
  counted.set(body, tokens)
}

/** The most tokens that the texts and files of a body have. */
export function tokensOf(body: JsonObject): number {
  const known = counted.get(body)
  if (known !== undefined) return known
  const tokens = tokensIn(body)
  counted.set(body, tokens)
  return tokens
}

/** `mayBeFile`: false in data of the caller, which a model reads as text. */
function tokensIn(value: Json, mayBeFile = true): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, entry: Json) => sum + MESSAGE_TOKENS + tokensIn(entry, mayBeFile), 0)
  }
  if (!isJsonObject(value)) return MESSAGE_TOKENS
  return Object.entries(value).reduce((sum, [name, member]) => {
    const isWhole = mayBeFile && typeof member === 'string' && isFile(member, name, value)
    const tokens = isWhole ? MEDIA_TOKENS : tokensIn(member, mayBeFile && !isCallerData(name, value))
    return sum + Buffer.byteLength(name) + tokens
  }, 0)
}

/** True for a member that is an image, a sound or a document as a whole, or the address of one. */
function isFile(text: string, name: string, owner: JsonObject): boolean {
  const media = inlineMedia(name, owner)
  if (media !== null) return isEncoded(media) && mediaText(media) === null
  return isAddress(name) && text.length <= MOST_ADDRESS_CHARS && /^https?:\S*$/i.test(text)
}
