import { TextDecoder } from 'node:util'
import canonicalize from 'canonicalize'
import type { z } from 'zod'
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { refuse } from '../zip/refusal.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The bytes of a JSON member: its RFC 8785 form in UTF-8. */
export function encodeJson(value: Json): Uint8Array {
  return Buffer.from(canonicalJson(value))
}

/**
 * The object in a JSON member. The bytes must be its RFC 8785 form, so that a document has one spelling: no second
 * member of the same name, no white space, no byte order mark. Throws `invalid_archive`.
 */
export function decodeJson(bytes: Uint8Array, member: string): JsonObject {
  let value: Json
  let text: string
  try {
    text = UTF8.decode(bytes)
    value = JSON.parse(text)
    if (canonicalJson(value) !== text) throw new TypeError('another spelling of the same value')
  } catch (error) {
    throw refuse('not_canonical', { member, cause: error })
  }
  if (!isJsonObject(value)) throw refuse('invalid_document', { member, note: 'not an object' })
  return value
}

/** Checks a document against its schema. Throws `invalid_archive` that names the first field that is wrong. */
export function parseDocument<S extends z.ZodType>(schema: S, document: JsonObject, member: string): z.output<S> {
  const parsed = schema.safeParse(document)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw refuse('invalid_document', { member, note: `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim() })
}

/** Plain data of any interface type as JSON. Members that are `undefined` are left out; NaN and the like throw. */
export function toJsonObject(value: object): JsonObject {
  const plain: Json = JSON.parse(canonicalize(value) ?? 'null')
  if (!isJsonObject(plain)) throw new TypeError('not an object')
  return plain
}
