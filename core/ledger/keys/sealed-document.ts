import { z } from 'zod'
import { canonicalJson, type JsonObject } from '../../kernel/json/json.ts'
import { Kid, Signature } from '../wire/fields.ts'
import { fromJwk, PublicJwk, toJwk, type TrustedKeys } from './jwk.ts'
import { signText, verifyText, type SigningKey } from './signing-key.ts'

/**
 * The Ed25519 part of a signed document. The signature covers everything but `signature`, so it must hold no member
 * that a parser would drop.
 */
export const Ed25519Block = z.strictObject({
  alg: z.literal('EdDSA'),
  kid: Kid,
  public_key: z.strictObject(PublicJwk.shape),
  signature: Signature,
})
export type Ed25519Block = z.infer<typeof Ed25519Block>

/**
 * Adds `signature_ed25519`: Ed25519 over the RFC 8785 form of the document together with that block, without the
 * block's own `signature`.
 */
export function signDocument<D extends JsonObject>(
  document: D,
  signer: SigningKey,
): D & { readonly signature_ed25519: Ed25519Block } {
  const block = { alg: 'EdDSA' as const, kid: signer.kid, public_key: toJwk(signer.publicKey) }
  const signature = signText(canonicalJson({ ...document, signature_ed25519: block }), signer.privateKey)
  return { ...document, signature_ed25519: { ...block, signature } }
}

/** Result of checking an Ed25519 signature. `untrusted`: valid, but by a key that is not among the trusted ones. */
export type SignatureCheck = 'trusted' | 'unknown_signer' | 'untrusted' | 'invalid'

/**
 * Checks `signature_ed25519` of a document. With trusted keys the signature must be by one of them; without any it is
 * checked against the key in the document, which proves that the document is unchanged but not who signed it.
 */
export function checkDocument(
  document: JsonObject & { readonly signature_ed25519: Ed25519Block },
  trusted: TrustedKeys | undefined,
): SignatureCheck {
  const { signature, ...block } = document.signature_ed25519
  if (block.public_key.kid !== block.kid) return 'invalid'
  const text = canonicalJson({ ...document, signature_ed25519: block })
  const own = openKey(block.public_key)
  if (own === undefined || !verifyText(text, signature, own)) return 'invalid'
  if (trusted === undefined) return 'unknown_signer'
  // The key of a trusted kid is compared by value: a kid is only 128 bits of a hash.
  return trusted.get(block.kid)?.equals(own) === true ? 'trusted' : 'untrusted'
}

function openKey(jwk: PublicJwk) {
  try {
    return fromJwk(jwk)
  } catch {
    return undefined
  }
}
