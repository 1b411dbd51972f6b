import type { Json } from '../../../kernel/json/json.ts'
import { parseJsonText } from '../../../kernel/json/json-text.ts'

/** Columns whose values may be lists of messages. */
const CONVERSATIONS = /^(?:messages|conversations|prompt|completion|chosen|rejected|history)$/

/**
 * Returns a text of a table as the list of messages that it writes, where its column may hold one and it begins as one:
 * files without nested types have conversations as JSON. Throws what `parseJsonText` throws, with the column.
 */
export function listCell(name: string, cell: string, depth: number, field: string): Json {
  if (!CONVERSATIONS.test(name) || !/^\s*\[\s*[[{]/.test(cell)) return cell
  return parseJsonText(cell, depth, `${field}.${name}`)
}
