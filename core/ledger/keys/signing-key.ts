import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto'
import { fingerprint } from './jwk.ts'

const SIGNATURE = /^[A-Za-z0-9_-]{86}$/

/** An Ed25519 key pair, opened once and used for every signature. */
export interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** A new Ed25519 key pair. */
export function createSigningKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { kid: fingerprint(publicKey), privateKey, publicKey }
}

/** Opens a stored private key in PKCS#8 PEM form. Throws a `TypeError` when it is not an Ed25519 key. */
export function openSigningKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem)
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new TypeError('not an Ed25519 key')
  const publicKey = createPublicKey(privateKey)
  return { kid: fingerprint(publicKey), privateKey, publicKey }
}

/** The PKCS#8 PEM form of a private key, for storing it encrypted. */
export function exportSigningKey(key: SigningKey): string {
  return key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** The Ed25519 signature of a text's UTF-8 form, in base64url without padding. */
export function signText(text: string, privateKey: KeyObject): string {
  return sign(null, Buffer.from(text), privateKey).toString('base64url')
}

/**
 * True when the signature is the one of the text under the key. A second spelling of the same 64 bytes (stray bits in
 * the last character) is refused, so that no byte of a signed document can be changed unnoticed.
 */
export function verifyText(text: string, signature: string, publicKey: KeyObject): boolean {
  if (!SIGNATURE.test(signature)) return false
  const bytes = Buffer.from(signature, 'base64url')
  return bytes.toString('base64url') === signature && verify(null, Buffer.from(text), publicKey, bytes)
}
