import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import type { Json } from '../../kernel/json/json.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const HASHED = 'svc-response-reference-1\0'
const SEALED = 'svc-response-sealed-1'

/** The hash under which an id is remembered. */
export function referenceKey(id: string): Buffer {
  return createHash('sha256').update(HASHED).update(id).digest()
}

/**
 * Seals a value under an id that only the caller keeps (AES-256-GCM, the key by HKDF of the id): what is stored can be read
 * again when the caller names the id, and by nothing else. The id must hold at least 128 random bits.
 */
export function sealById(id: string, value: Json): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(id), nonce)
  const sealed = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]
  return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()])
}

/** Opens it. Throws for bytes that were not sealed under the id. */
export function openById(id: string, sealed: Uint8Array): Json {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(id), sealed.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const parts = [decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]
  const value: Json = JSON.parse(Buffer.concat(parts).toString('utf8'))
  return value
}

function keyOf(id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', id, '', SEALED, 32))
}
