import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { Placeholders } from './placeholders.ts'

/** Members whose text is JSON itself: a value in it is escaped once more. */
const JSON_TEXTS = new Set(['arguments', 'partial_json'])

/** Puts the values back into every text of a document, and into its names: arguments of tools may be called by a value. */
export function restoreJson(value: Json, placeholders: Placeholders, name = ''): Json {
  if (typeof value === 'string') return placeholders.restore(value, JSON_TEXTS.has(name))
  if (Array.isArray(value)) return value.map((entry: Json) => restoreJson(entry, placeholders, name))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [
      placeholders.restore(member),
      restoreJson(inner, placeholders, member),
    ]),
  )
}
