import type { KeyPrefix } from '../../../core/kernel/tenant/key-text.ts'
import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { base32 } from '../../../core/kernel/ids.ts'
import type { KeyKind, ScryptParameters } from './api-key.ts'
import type { HashSlots } from '../../../core/kernel/threads/fair/hash-slots.ts'

/** A new key before it is stored: the text shown once to its owner, and its stored form. */
export interface MintedKey {
  readonly apiKey: string
  readonly lookupId: string
  readonly salt: Uint8Array
  readonly hash: Uint8Array
  readonly scrypt: ScryptParameters
}

/** Light, since the secret has 128 random bits: nothing to guess from a dictionary. */
export const SCRYPT: ScryptParameters = { N: 4096, r: 8, p: 1 }
const HASH_BYTES = 32
/** Returns the prefix of a kind of key. */
export function prefixOf(kind: KeyKind): KeyPrefix {
  if (kind === 'scim') return 'scim'
  return kind === 'anonymous' ? 'kao' : 'ks'
}

/**
 * Makes a key: `<prefix>_<lookup id>_<secret>`, 60 and 128 random bits, for a tenant when there is one already. Throws
 * `busy` under a flood.
 */
export async function mintKey(slots: HashSlots, prefix: KeyPrefix, tenantId?: string): Promise<MintedKey> {
  const lookupId = base32(randomBytes(8)).slice(1)
  const secret = base32(randomBytes(16))
  const salt = randomBytes(16)
  const apiKey = `${prefix}_${lookupId}_${secret}`
  const hash = await slots.run(() => hashSecret(secret, salt, SCRYPT), tenantId)
  return { apiKey, lookupId, salt, hash, scrypt: SCRYPT }
}

/** scrypt (RFC 7914) of a key's secret half. */
export async function hashSecret(secret: string, salt: Uint8Array, parameters: ScryptParameters): Promise<Uint8Array> {
  return await new Promise((resolve, reject) => {
    const { N, r, p } = parameters
    scrypt(secret, salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    )
  })
}

/** Compares a secret with a stored hash in constant time. */
export async function matchesHash(
  secret: string,
  stored: { readonly salt: Uint8Array; readonly hash: Uint8Array; readonly scrypt: ScryptParameters },
): Promise<boolean> {
  const hash = await hashSecret(secret, stored.salt, stored.scrypt)
  return hash.length === stored.hash.length && timingSafeEqual(hash, stored.hash)
}

/** Returns a suffix of four characters that distinguishes two tenants of one name. */
export function randomSuffix(): string {
  const letters = '0123456789abcdefghjkmnpqrstvwxyz'
  return Array.from({ length: 4 }, () => letters.charAt(randomInt(letters.length))).join('')
}
