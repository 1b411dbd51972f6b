import { createHmac } from 'node:crypto'
import { canonicalJson, isJsonObject, type Json } from '../../kernel/json/json.ts'
import type { MacSecret } from '../../kernel/json/mac.ts'

/** Bytes of a row's key. */
export const ROW_KEY_BYTES = 16

/**
 * Returns the key by which a row is found again: an HMAC of its input under a key of the service, so that the keys of a
 * corpus tell nothing of its rows. Letter case, white space at the ends and between words, and Unicode compatibility forms
 * do not matter, nor does the output: a row with another output is the same row.
 */
export function rowKey(secret: MacSecret, tenantId: string, input: Json): Buffer {
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
