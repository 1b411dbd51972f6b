import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import { usageOf, type ModelAnswer, type Usage } from '../protocol/exchange/answer.ts'
import { callCostMicros, pricesOf } from '../providers/prices.ts'
import { targetOf, type Target } from './target.ts'

/** Characters of a token, by the rule of thumb for English text. */
const CHARS_PER_TOKEN = 4

/** Tokens of a call and whether they are the provider's own counts. */
export interface CountedUsage extends Usage {
  readonly isEstimated: boolean
}

/**
 * The provider's counts where it gave them. A call that ended early has an estimate for what it lacks: a quarter of the
 * characters.
 */
export function countedUsage(
  reported: Usage | null,
  call: { readonly inputChars: number; readonly outputChars: number; readonly isWhole: boolean },
): CountedUsage {
  if (reported !== null && call.isWhole) return { ...reported, isEstimated: false }
  const tokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN)
  return {
    ...(reported ?? usageOf({ inputTokens: tokens(call.inputChars) })),
    outputTokens: Math.max(reported?.outputTokens ?? 0, tokens(call.outputChars)),
    isEstimated: true,
  }
}

/** Whether a provider that gave no answer may bill the call all the same. */
export interface Unanswered {
  readonly mayBeBilled: boolean
}

/**
 * The known part of the cost of a call: that there is none, its counts or an estimate of them, or nothing. Nothing is known of
 * a call that was sent and of which neither counts nor a part of the answer came back.
 */
export type KnownCost = 'none' | 'counted' | 'open'

/** Returns what is known of the cost of a call. */
export function knownCost(
  unanswered: Unanswered | null,
  answer: { readonly isWhole: boolean; readonly usage: Usage | null; readonly contentAt: number | null },
): KnownCost {
  if (unanswered !== null) return unanswered.mayBeBilled ? 'open' : 'none'
  return answer.isWhole || answer.usage !== null || answer.contentAt !== null ? 'counted' : 'open'
}

/** A longer text of the letters of base64 alone is the bytes of an image, a sound or a file. */
const MOST_UNBROKEN_CHARS = 2000

/** The counts of bodies, each of which is counted for its call and for its record. */
const counted = new WeakMap<JsonObject, number>()

/** Keeps the characters of a body that were counted beside the event loop. */
export function rememberChars(body: JsonObject, chars: number): void {
  counted.set(body, chars)
}

/** Characters of the texts in a body; what is no text, such as an image in base64, is left out. */
export function charsOfBody(body: JsonObject): number {
  const chars = counted.get(body) ?? charsIn(body)
  counted.set(body, chars)
  return chars
}

/** The same of any value. */
export function charsIn(body: Json): number {
  if (typeof body === 'string') return isBytes(body) ? 0 : body.length
  if (Array.isArray(body)) return body.reduce<number>((sum, entry) => sum + charsIn(entry), 0)
  return isJsonObject(body) ? Object.values(body).reduce<number>((sum, member) => sum + charsIn(member), 0) : 0
}

function isBytes(text: string): boolean {
  return text.length > MOST_UNBROKEN_CHARS && /^(?:data:[^,]*,)?[\w+/=-]+$/.test(text)
}

/** Characters of an answer as a stream of it would be counted: texts, reasoning and arguments. */
export function charsOf({ choices }: ModelAnswer): number {
  const parts = choices.flatMap((choice) => choice.parts)
  return parts.reduce((sum, part) => {
    if (part.kind === 'text' || part.kind === 'thinking') return sum + part.text.length
    return part.kind === 'tool_call' ? sum + part.arguments.length : sum
  }, 0)
}

/** Facts that determine the price of a call. */
export interface PricedTarget {
  readonly provider: Pick<Target['provider'], 'needsKey'>
  readonly model: string
}

/**
 * Cost of a call in millionths of a US dollar: 0 on a server of the operator's own, null for a model without a known
 * price, and for counts of which one has none.
 */
export function costOf({ provider, model }: PricedTarget, usage: Usage): number | null {
  if (!provider.needsKey) return 0
  const prices = pricesOf(model, undefined)
  return prices === null ? null : callCostMicros(prices, usage)
}

/**
 * Cost of the same counts at the provider that a call was meant for: the caller's own target, or, where that is a server of
 * the operator's, the first provider among the fallbacks of the namespace. Null without one, and without a known price.
 */
export function frontierCostOf(asked: Target, chain: readonly string[], usage: Usage): number | null {
  if (asked.provider.needsKey) return costOf(asked, usage)
  const frontier = chain.map((entry) => targetOf(entry, 'route_chain')).find(({ provider }) => provider.needsKey)
  return frontier === undefined ? null : costOf(frontier, usage)
}
