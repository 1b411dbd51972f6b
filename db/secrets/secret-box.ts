import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** What a sealed secret belongs to. It is bound into the seal, so a secret moved to another row does not open. */
export interface SecretScope {
  /** Tenant id, or `service`. */
  readonly owner: string
  readonly id: string
  readonly purpose: 'receipt' | 'signing' | 'audit'
}

/** Seals secrets at rest. */
export interface SecretBox {
  seal(secret: Uint8Array, scope: SecretScope): Uint8Array
  /** Throws an `Error` when the seal is broken, or was made under another master key or for another row. */
  open(sealed: Uint8Array, scope: SecretScope): Uint8Array
}

const FORMAT = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

/**
 * Envelope encryption under the master key: a data key per secret, wrapped by the master key, both AES-256-GCM with
 * the scope as additional data. Layout: format byte, then (nonce, data key, tag), then (nonce, secret, tag).
 */
export function createSecretBox(masterKey: Uint8Array): SecretBox {
  if (masterKey.length !== KEY_BYTES) throw new Error(`the master key must have ${KEY_BYTES} bytes`)
  return {
    seal(secret, scope) {
      const dataKey = randomBytes(KEY_BYTES)
      const context = contextOf(scope)
      return Buffer.concat([Buffer.of(FORMAT), encrypt(masterKey, dataKey, context), encrypt(dataKey, secret, context)])
    },
    open(sealed, scope) {
      const wrappedBytes = NONCE_BYTES + KEY_BYTES + TAG_BYTES
      if (sealed[0] !== FORMAT || sealed.length < 1 + wrappedBytes + NONCE_BYTES + TAG_BYTES) {
        throw new Error('not a sealed secret')
      }
      const context = contextOf(scope)
      const dataKey = decrypt(masterKey, sealed.subarray(1, 1 + wrappedBytes), context)
      return decrypt(dataKey, sealed.subarray(1 + wrappedBytes), context)
    },
  }
}

function contextOf({ owner, id, purpose }: SecretScope): Buffer {
  return Buffer.from(JSON.stringify([owner, id, purpose]))
}

function encrypt(key: Uint8Array, plain: Uint8Array, context: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(context)
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: Uint8Array, sealed: Uint8Array, context: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
  decipher.setAAD(context)
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  } catch (cause) {
    throw new Error('a sealed secret does not open: it was changed, or sealed under another master key', { cause })
  }
}
