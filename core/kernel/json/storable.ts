import { isJsonObject, type Json } from './json.ts'

/**
 * A text as the database keeps it: NUL and halves of surrogate pairs become U+FFFD. Hashes of stored texts cover this form.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{FFFD}')
}

/** In written JSON: NUL or half of a surrogate pair, or a text that spells one. */
const MAYBE_UNSTORABLE = /\\u(?:0000|d[89a-f])/

/**
 * Writes a value as JSON whose texts and names are storable. Postgres reads into no document, `json` or `jsonb`, that holds
 * NUL or half of a surrogate pair: queries that look into stored documents need this form.
 */
export function storableJson(value: object): string {
  const text = JSON.stringify(value)
  return MAYBE_UNSTORABLE.test(text) ? JSON.stringify(value, storableMember) : text
}

function storableMember(_name: string, value: Json): Json {
  if (typeof value === 'string') return storable(value)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storable(name), member]))
}
