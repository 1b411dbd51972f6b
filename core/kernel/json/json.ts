import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** A JSON value. Numbers are finite. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }

/** A JSON object. */
export type JsonObject = { readonly [member: string]: Json }

/** A SHA-256 digest in its wire form: `sha256:` and 64 lower-case hex digits. */
export type Sha256 = `sha256:${string}`

/**
 * Returns the canonical form of a JSON value (RFC 8785): members sorted by UTF-16 code unit, no white space. Throws a
 * `TypeError` for values outside JSON: NaN, infinities, bigints, lone surrogates.
 */
export function canonicalJson(value: Json): string {
  const text = canonicalize(value)
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
