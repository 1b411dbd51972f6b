import { hash } from 'node:crypto'
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.ts'
import { inputItems, isReasoning, membersThatSay } from './references.ts'

/** One turn of a conversation that this service keeps: a response, and what was asked for it. */
export interface KeptTurn {
  /** The name of the response that it goes on from; null for a first turn. */
  readonly parent: string | null
  /** The items that it adds to the turns before it; null where they were too long: then there is the output alone. */
  readonly input: readonly JsonObject[] | null
  readonly response: JsonObject
  /** Of the conversation up to its end, see `digestAfter`; null where that is not known. */
  readonly digest: string | null
}

/** A response that this service keeps, with the conversation before it. */
export interface KeptResponse {
  /** The question, earlier turns included; null where that was too long, or is not needed: then there is the output alone. */
  readonly input: readonly JsonObject[] | null
  readonly response: JsonObject
}

/** The digest of a conversation that has not begun. */
export const EMPTY_CONVERSATION = ''

/** Types of parts that are a text. */
const TEXTS: ReadonlySet<Json | undefined> = new Set(['input_text', 'output_text', 'text'])

/** Returns the response of the last of some turns, the first of which begins the conversation. */
export function responseAfter(earlier: readonly KeptTurn[], { input, response }: KeptTurn): KeptResponse {
  if (input === null) return { input, response }
  return { input: [...earlier.flatMap((turn) => saidIn(turn)), ...input], response }
}

/** Returns the items of a turn, or of a conversation, as a provider gets them: what was asked and what was answered. */
export function saidIn({ input, response }: KeptResponse): readonly JsonObject[] {
  return [...(input ?? []), ...outputOf(response)].flatMap((item) => withoutId(item))
}

/** Returns the items of the output of a response. */
export function outputOf(response: JsonObject): readonly JsonObject[] {
  return inputItems(response['output']).filter((item) => isJsonObject(item))
}

/** Returns a kept response with its output alone, the items of which calls may name. */
export function outputAlone({ response: { id = null, output = null } }: Pick<KeptResponse, 'response'>): KeptResponse {
  return { input: null, response: { id, output } }
}

/** Returns an item without its id, which another provider does not know; reasoning has no meaning there either. */
export function withoutId({ id: _id, ...item }: JsonObject): readonly JsonObject[] {
  return isReasoning(item) ? [] : [item]
}

/**
 * Returns the digest of a conversation after one more item, out of the digest before it: equal for equal items, also where a client
 * sends a text as parts, or leaves out members that add nothing to it, or reasoning.
 */
export function digestAfter(before: string, item: JsonObject): string {
  return isReasoning(item) ? before : hash('sha256', `${before}\n${JSON.stringify(meaningOf(item))}`)
}

function meaningOf({ id: _id, ...item }: JsonObject): Json {
  const { type = 'message', role, content } = item
  if (type === 'message') return [type, role ?? null, partsOf(content)]
  const members = membersThatSay(type)
  return members === undefined ? item : [type, ...members.map((name) => item[name] ?? null)]
}

function partsOf(content: Json | undefined): Json {
  if (!Array.isArray(content)) return [content ?? null]
  const parts = content as readonly Json[]
  return parts.map((part) => (isJsonObject(part) && TEXTS.has(part['type']) ? (part['text'] ?? null) : part))
}
