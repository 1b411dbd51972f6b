import { createHmac } from 'node:crypto'
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import type { MacSecret } from '../../kernel/json/mac.ts'

/** Bytes of a row's key. */
export const ROW_KEY_BYTES = 16

/** Version of the keys that `rowKey` makes. Those of version 1 differ between a chat with one question and the question as a text. */
export const ROW_KEY_VERSION = 2

/** The means to make keys of a tenant's rows. */
export interface RowKeying {
  readonly secret: MacSecret
  readonly tenantId: string
}

/** Roles of turns that instruct a model and ask it nothing. */
const INSTRUCTIONS: ReadonlySet<Json | undefined> = new Set(['system', 'developer'])

/**
 * Returns the keys under which a row may be stored: an HMAC of its input under a key of the service, so that the keys of a
 * corpus tell nothing of its rows, and for a chat that asks one question that of the question: with instructions, both. Letter case,
 * white space at the ends and between words, and Unicode compatibility forms do not matter, nor does the output: a row
 * with another output is the same row.
 */
export function rowKeys(secret: MacSecret, tenantId: string, input: Json): readonly Buffer[] {
  const question = questionOf(input)
  if (question === null) return [keyOf(secret, tenantId, input)]
  const key = keyOf(secret, tenantId, question)
  return turnsOf(input).length === 1 ? [key] : [key, keyOf(secret, tenantId, input)]
}

/**
 * Returns one key for each row of a corpus, in their order. A chat with one question has the key of the question, whatever
 * its instructions, unless another row of the corpus asks the same with other instructions: then they tell the rows apart.
 */
export function corpusKeys(secret: MacSecret, tenantId: string, inputs: readonly Json[]): readonly Buffer[] {
  const keys = inputs.map((input) => rowKeys(secret, tenantId, input).map((key) => key.toString('latin1')))
  const asked = new Map<string, Set<string>>()
  for (const [first = '', whole] of keys) {
    const chats = asked.get(first) ?? new Set()
    if (whole !== undefined) chats.add(whole)
    asked.set(first, chats)
  }
  return keys.map(([first = '', whole = first]) => {
    const isAmbiguous = (asked.get(first)?.size ?? 0) > 1
    return Buffer.from(isAmbiguous ? whole : first, 'latin1')
  })
}

function keyOf(secret: MacSecret, tenantId: string, input: Json): Buffer {
  const text = `holdout row\0${tenantId}\0${canonicalJson(normalized(input))}`
  return createHmac('sha256', secret).update(text).digest().subarray(0, ROW_KEY_BYTES)
}

function normalized(value: Json): Json {
  if (typeof value === 'string') return value.normalize('NFKC').replaceAll(/\s+/gu, ' ').trim().toLowerCase()
  if (isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, normalized(member)]))
  }
  return Array.isArray(value) ? value.map((entry: Json) => normalized(entry)) : value
}

/** The text of the only user turn of a chat without answers; null for every other input. */
function questionOf(input: Json): string | null {
  const turns = turnsOf(input)
  if (!turns.every((turn) => isTurn(turn) && (turn['role'] === 'user' || INSTRUCTIONS.has(turn['role'])))) return null
  const [question, ...more] = turns.filter(({ role }) => role === 'user')
  return question === undefined || more.length > 0 ? null : textOf(question['content'])
}

/** The turns of a chat: a list of messages, also as the member `messages`, or one message. */
function turnsOf(input: Json): readonly JsonObject[] {
  if (isJsonObject(input)) {
    const { messages } = input
    return Object.keys(input).length === 1 && messages !== undefined ? turnsOf(messages) : [input]
  }
  if (!Array.isArray(input)) return []
  return input.every((turn: Json) => isJsonObject(turn)) ? input : []
}

/** An object with further members is a row of a table with a column `role`. */
function isTurn(turn: JsonObject): boolean {
  return Object.keys(turn).every((name) => name === 'role' || name === 'content' || name === 'name')
}

/** The text of a message, also of one in parts; null for other content, such as an image. */
function textOf(content: Json | undefined): string | null {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return null
  const texts = content.map((part: Json) => (isJsonObject(part) ? part['text'] : undefined))
  return texts.every((text) => typeof text === 'string') ? texts.join('') : null
}
