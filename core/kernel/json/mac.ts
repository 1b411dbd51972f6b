import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'

/** An HMAC-SHA256 in its wire form: `hmac-sha256:` and 64 lower-case hex digits. */
export type Mac = `hmac-sha256:${string}`

/** A receipt secret: raw bytes, a text read as UTF-8, or an opened key. */
export type MacSecret = KeyObject | Uint8Array | string

/** A secret with the id that names it in a document. */
export interface MacKey {
  readonly keyId: string
  readonly secret: MacSecret
}

/** Opens a secret once, for signing many documents. An empty secret is a programming error and throws. */
export function openMacKey(keyId: string, secret: Uint8Array | string): MacKey {
  return { keyId, secret: createSecretKey(Buffer.from(secret)) }
}

/** HMAC-SHA256 over the UTF-8 form of a text. */
export function macText(text: string, secret: MacSecret): Mac {
  return `hmac-sha256:${createHmac('sha256', secret).update(text).digest('hex')}`
}

/** Compares two MACs without telling by its duration where they differ. */
export function sameMac(expected: Mac, given: string): boolean {
  const left = Buffer.from(expected)
  const right = Buffer.from(given)
  return left.length === right.length && timingSafeEqual(left, right)
}
