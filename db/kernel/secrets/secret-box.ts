import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** Context of a sealed secret. It is bound into the seal, so a secret moved to another row does not open. */
export interface SecretScope {
  /** Tenant id, or `service`. */
  readonly owner: string
  readonly id: string
  readonly purpose:
    | 'receipt'
    | 'signing'
    | 'audit'
    | 'provider'
    | 'identity'
    | 'mail'
    | 'login'
    | 'answer'
    | 'share'
    | 'fingerprint'
    | 'webhook'
    | 'holdout'
    | 'rental'
}

/** Seals secrets at rest. */
export interface SecretBox {
  /** Names the current master key; it is part of every seal and reveals nothing of the key. */
  readonly keyId: Uint8Array
  /** True while former master keys are configured. */
  readonly hasOldKeys: boolean
  seal(secret: Uint8Array, scope: SecretScope): Uint8Array
  /** Throws an `Error` when the seal is broken, or was made under an unknown master key or for another row. */
  open(sealed: Uint8Array, scope: SecretScope): Uint8Array
  /**
   * Returns the same secret under the current master key; null when it is under it already. Only the key around the
   * secret is opened, not the secret itself. Throws as `open` does.
   */
  rewrap(sealed: Uint8Array, scope: SecretScope): Uint8Array | null
}

/** Seals of the first format do not name their master key; they are tried with each. */
const UNNAMED_FORMAT = 1
const FORMAT = 2
const KEY_ID_BYTES = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const WRAPPED_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES

interface MasterKey {
  readonly id: Buffer
  readonly key: Uint8Array
}

/** The parts of a sealed secret. */
interface Seal {
  /** Null for the first format. */
  readonly keyId: Uint8Array | null
  readonly wrappedKey: Uint8Array
  readonly content: Uint8Array
}

/**
 * Envelope encryption under the master key: a data key per secret, wrapped by the master key, both AES-256-GCM with the
 * scope as additional data. Layout: format byte, id of the master key, then (nonce, data key, tag), then (nonce,
 * secret, tag). Everything is sealed under the current key; older seals still open.
 */
export function createSecretBox(current: Uint8Array, old: readonly Uint8Array[] = []): SecretBox {
  const now = namedKey(current)
  const all = [now, ...old.map(namedKey)]

  const unwrap = (seal: Seal, context: Uint8Array): { readonly dataKey: Uint8Array; readonly under: MasterKey } => {
    const { keyId } = seal
    const candidates = keyId === null ? all : all.filter(({ id }) => id.equals(keyId))
    for (const under of candidates) {
      const dataKey = decrypt(under.key, seal.wrappedKey, context)
      if (dataKey !== null) return { dataKey, under }
    }
    throw new Error('a sealed secret does not open: it was changed, or sealed under another master key')
  }

  return {
    keyId: now.id,
    hasOldKeys: old.length > 0,
    seal(secret, scope) {
      const dataKey = randomBytes(KEY_BYTES)
      const context = contextOf(scope)
      return pack(now, encrypt(now.key, dataKey, context), encrypt(dataKey, secret, context))
    },
    open(sealed, scope) {
      const seal = takeApart(sealed)
      const context = contextOf(scope)
      const secret = decrypt(unwrap(seal, context).dataKey, seal.content, context)
      if (secret === null) throw new Error('a sealed secret does not open: it was changed')
      return secret
    },
    rewrap(sealed, scope) {
      const seal = takeApart(sealed)
      if (seal.keyId !== null && now.id.equals(seal.keyId)) return null
      const context = contextOf(scope)
      const { dataKey } = unwrap(seal, context)
      return pack(now, encrypt(now.key, dataKey, context), seal.content)
    },
  }
}

function namedKey(key: Uint8Array): MasterKey {
  if (key.length !== KEY_BYTES) throw new Error(`the master key must have ${KEY_BYTES} bytes`)
  const digest = createHash('sha256').update('id of a master key').update(key).digest()
  return { id: digest.subarray(0, KEY_ID_BYTES), key }
}

function pack(under: MasterKey, wrappedKey: Uint8Array, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(FORMAT), under.id, wrappedKey, content])
}

function takeApart(sealed: Uint8Array): Seal {
  const start = sealed[0] === FORMAT ? 1 + KEY_ID_BYTES : 1
  const isKnown = sealed[0] === FORMAT || sealed[0] === UNNAMED_FORMAT
  if (!isKnown || sealed.length < start + WRAPPED_BYTES + NONCE_BYTES + TAG_BYTES)
    throw new Error('not a sealed secret')
  return {
    keyId: sealed[0] === FORMAT ? sealed.subarray(1, start) : null,
    wrappedKey: sealed.subarray(start, start + WRAPPED_BYTES),
    content: sealed.subarray(start + WRAPPED_BYTES),
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

/** Returns null when the tag does not match: another key, another row, or changed bytes. */
function decrypt(key: Uint8Array, sealed: Uint8Array, context: Uint8Array): Buffer | null {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
  decipher.setAAD(context)
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    return null
  }
}
