import { isJsonObject, type Json } from '../../kernel/json/json.ts'
import type { KnownPrices } from '../providers/prices.ts'

/** Price lists that have other prices for long prompts double them at most where this service does not know them. */
const UNKNOWN_FACTOR = 2

/** The highest prices of a call's tokens, US dollars per million: of a prompt of so many tokens, for a body. */
export function worstPrices(
  prices: KnownPrices,
  inputTokens: number,
  body: Json,
): { readonly input: number; readonly output: number } {
  const { long, cacheWrites } = prices
  const isLong = long !== undefined && inputTokens > long.aboveTokens
  const priced = isLong && long.prices !== null ? long.prices : prices
  const factor = isLong && long.prices === null ? UNKNOWN_FACTOR : 1
  const writing = cacheWrites !== undefined && writesCache(body) ? cacheWrites.hour : 1
  return { input: factor * Math.max(priced.input * writing, priced.cached), output: factor * priced.output }
}

/** True for a body that asks its provider to keep parts of the prompt. */
function writesCache(value: Json): boolean {
  if (Array.isArray(value)) return value.some((entry: Json) => writesCache(entry))
  if (!isJsonObject(value)) return false
  return Object.entries(value).some(([name, member]) => name === 'cache_control' || writesCache(member))
}
