import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'

const RAW_KEY = /^[A-Za-z0-9_-]{43}$/
const KID = /^[0-9a-f]{32}$/

/** The public half of an Ed25519 key as an OKP JWK (RFC 8037), as the service publishes it. */
export const PublicJwk = z
  .object({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.string().regex(RAW_KEY),
    kid: z.string().regex(KID),
    use: z.literal('sig').exactOptional(),
    alg: z.literal('EdDSA').exactOptional(),
  })
  .meta({ id: 'PublicJwk', description: 'Ed25519 public key as an OKP JWK (RFC 8037); kid is its fingerprint' })
export type PublicJwk = z.infer<typeof PublicJwk>

/** A JWK set: the answer of `/.well-known/jwks.json`, or a file of pinned keys. */
export const JwkSet = z
  .object({ keys: z.array(PublicJwk) })
  .meta({ id: 'JwkSet', description: 'Public keys that check signatures of the service' })
export type JwkSet = z.infer<typeof JwkSet>

/** The fingerprint of a public key, used as its `kid`: the first 32 hex digits of SHA-256 over the SPKI DER form. */
export function fingerprint(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 32)
}

/** JWKs of keys that were asked for before: each signature states one. */
const knownJwks = new WeakMap<KeyObject, PublicJwk>()

/** The JWK of an Ed25519 public key. Throws a `TypeError` for a key of another type. */
export function toJwk(publicKey: KeyObject): PublicJwk {
  const known = knownJwks.get(publicKey)
  if (known !== undefined) return { ...known }
  const { x } = publicKey.export({ format: 'jwk' })
  if (publicKey.asymmetricKeyType !== 'ed25519' || x === undefined) throw new TypeError('not an Ed25519 key')
  const jwk: PublicJwk = { kty: 'OKP', crv: 'Ed25519', x, kid: fingerprint(publicKey), use: 'sig', alg: 'EdDSA' }
  knownJwks.set(publicKey, jwk)
  return { ...jwk }
}

/**
 * The key of a JWK. Throws a `TypeError` when it is no Ed25519 public key or when its `kid` is not its fingerprint,
 * so that a key can never pass under the name of another.
 */
export function fromJwk(jwk: PublicJwk): KeyObject {
  const publicKey = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: 'jwk' })
  const own = toJwk(publicKey)
  if (own.x !== jwk.x) throw new TypeError('key is not in canonical base64url form')
  if (own.kid !== jwk.kid) throw new TypeError(`kid ${jwk.kid} is not the fingerprint of its key`)
  return publicKey
}

/** Public keys that a verifier trusts, by their `kid`. */
export type TrustedKeys = ReadonlyMap<string, KeyObject>

/** Opens a set of JWKs for checking signatures. Throws a `TypeError` that names the first bad key. */
export function trustKeys(jwks: readonly PublicJwk[]): TrustedKeys {
  return new Map(jwks.map((jwk) => [jwk.kid, fromJwk(jwk)]))
}
