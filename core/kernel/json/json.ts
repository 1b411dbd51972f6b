import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** A JSON value. Numbers are finite. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }

/** A JSON object. */
export type JsonObject = { readonly [member: string]: Json }

/** A SHA-256 digest in its wire form: `sha256:` and 64 lower-case hex digits. */
export type Sha256 = `sha256:${string}`

/** Levels to which a value is looked at: deeper ones are left to the serializer, which needs no stack. */
const MOST_LEVELS = 100

/**
 * Returns the canonical form of a JSON value (RFC 8785): members sorted by UTF-16 code unit, no white space. Throws a
 * `TypeError` for values outside JSON: NaN, infinities, bigints, lone surrogates.
 */
export function canonicalJson(value: Json): string {
  // Most documents were read from their canonical form, which the engine's own serializer gives in half of the time.
  const text = isCanonical(value) ? JSON.stringify(value) : (writeSorted(value) ?? canonicalize(value))
  if (text === undefined) throw new TypeError('not a JSON value')
  return text
}

/** The SHA-256 digest of bytes, or of the UTF-8 form of a text. */
export function sha256(data: Uint8Array | string): Sha256 {
  return `sha256:${hash('sha256', data)}`
}

/** The SHA-256 digest of the canonical form of a JSON value. */
export function hashJson(value: Json): Sha256 {
  return sha256(canonicalJson(value))
}

/** True when the value is a JSON object and not null or a list. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A text whose literal is itself between quotes. */
const PLAIN = /^[ !#-[\]-~]*$/

/**
 * Returns the canonical form of a value, in half of the time of the serializer for any value; null for one that this one has to
 * judge: too deep, with a member that is undefined, outside JSON, or with a form of its own.
 */
function writeSorted(value: Json | undefined, levels = MOST_LEVELS): string | null {
  switch (typeof value) {
    case 'string':
      return quoted(value)
    case 'number':
      return Number.isFinite(value) ? String(value) : null
    case 'boolean':
      return String(value)
    case 'object':
      break
    default:
      return null
  }
  if (value === null) return 'null'
  if (levels === 0 || 'toJSON' in value) return null
  let text = ''
  if (!isJsonObject(value)) {
    for (let at = 0; at < value.length; at++) {
      const entry = writeSorted(value[at], levels - 1)
      if (entry === null) return null
      text += at === 0 ? entry : `,${entry}`
    }
    return `[${text}]`
  }
  for (const name of Object.keys(value).toSorted()) {
    const literal = quoted(name)
    const member = writeSorted(value[name], levels - 1)
    if (literal === null || member === null) return null
    text += text === '' ? `${literal}:${member}` : `,${literal}:${member}`
  }
  return `{${text}}`
}

/** Returns the literal of a text; null for a lone surrogate. */
function quoted(text: string): string | null {
  if (PLAIN.test(text)) return `"${text}"`
  return text.isWellFormed() ? JSON.stringify(text) : null
}

/**
 * Returns whether `JSON.stringify` gives the canonical form of a value: all members stand in the order of RFC 8785, texts have no
 * lone surrogates, and numbers are finite. False also for a value that is too deep to be looked at.
 */
function isCanonical(value: Json | undefined, levels = MOST_LEVELS): boolean {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed()
    case 'number':
      return Number.isFinite(value)
    case 'boolean':
      return true
    case 'object':
      break
    default:
      return false
  }
  if (value === null) return true
  if (levels === 0 || 'toJSON' in value) return false
  if (!isJsonObject(value)) {
    // An index and no callback: this runs for each part of each document that is hashed.
    for (let at = 0; at < value.length; at++) if (!isCanonical(value[at], levels - 1)) return false
    return true
  }
  let last: string | null = null
  for (const name of Object.keys(value)) {
    const member = value[name]
    // Texts are compared by UTF-16 code units.
    if ((last !== null && name < last) || member === undefined || !name.isWellFormed()) return false
    if (!isCanonical(member, levels - 1)) return false
    last = name
  }
  return true
}
