import { invalidField } from '../../../kernel/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'

/** Speakers of ShareGPT's files and the roles that they are. */
const SPEAKERS: Readonly<Record<string, string>> = {
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  chatgpt: 'assistant',
  bing: 'assistant',
  bard: 'assistant',
  model: 'assistant',
  assistant: 'assistant',
  system: 'system',
  tool: 'tool',
  function: 'tool',
  function_call: 'assistant',
  observation: 'tool',
}

/** True for a list of objects that have roles, as conversations are written. */
export function looksLikeMessages(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0 && value.every((turn) => isJsonObject(turn) && 'role' in turn)
}

/** Returns messages as they are stored: objects with a text as `role`. Throws `validation_failed` with the turn. */
export function readMessages(value: Json | undefined, field: string): readonly JsonObject[] {
  const turns = listOf(value, field)
  return turns.map((turn, at) => {
    if (!isJsonObject(turn)) throw invalidField(`${field}[${at}]`, 'must be an object with role and content')
    const { role, content } = turn
    if (typeof role !== 'string' || role === '') throw invalidField(`${field}[${at}].role`, 'must be a text')
    if (content === undefined && turn['tool_calls'] === undefined) {
      throw invalidField(`${field}[${at}].content`, 'is required')
    }
    return present(turn)
  })
}

/** Returns the turns of a ShareGPT conversation as messages. Throws `validation_failed` with the turn. */
export function readConversation(value: Json | undefined, field: string): readonly JsonObject[] {
  return listOf(value, field).map((turn, at) => {
    if (!isJsonObject(turn)) throw invalidField(`${field}[${at}]`, 'must be an object with from and value')
    const { from, value: said, role, content } = turn
    const speaker = typeof from === 'string' ? from : typeof role === 'string' ? role : ''
    const known = Object.hasOwn(SPEAKERS, speaker) ? SPEAKERS[speaker] : undefined
    if (known === undefined) {
      throw invalidField(`${field}[${at}].from`, 'must be human, gpt, system, tool or another known speaker')
    }
    const text = said ?? content
    if (typeof text !== 'string') throw invalidField(`${field}[${at}].value`, 'must be a text')
    return { role: known, content: text }
  })
}

function listOf(value: Json | undefined, field: string): readonly Json[] {
  if (!Array.isArray(value)) throw invalidField(field, 'must be a list of messages')
  if (value.length === 0) throw invalidField(field, 'has no message')
  return value
}

/** A turn without members that are null: Parquet and CSV have a cell for each column. */
function present(turn: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(turn).filter(([name, value]) => value !== null || name === 'content'))
}
