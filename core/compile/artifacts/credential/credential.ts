import { z } from 'zod'
import { canonicalJson, type JsonObject } from '../../../kernel/json/json.ts'
import { macText, sameMac, type Mac, type MacKey, type MacSecret } from '../../../kernel/json/mac.ts'
import type { TrustedKeys } from '../../../ledger/keys/jwk.ts'
import { checkDocument, Ed25519Block, signDocument, type SignatureCheck } from '../../../ledger/keys/sealed-document.ts'
import type { SigningKey } from '../../../ledger/keys/signing-key.ts'
import { AnyJson, Hash, KeyId, MacField, Name, Time } from '../../../ledger/wire/fields.ts'

/** Spec of a credential. */
export const CREDENTIAL_SPEC = 'svc-credential/0.1'
const MOST_INGREDIENTS = 1000

/** Something that an artifact was made of: a node of its evidence graph. */
export const Ingredient = z
  .object({ id: z.string().min(1).max(256), kind: Name, hash: z.string().max(128).exactOptional() })
  .meta({ id: 'CredentialIngredient' })
export type Ingredient = z.infer<typeof Ingredient>

/** The figures and facts that a credential states of an artifact. */
export const CredentialAssertions = z
  .object({
    k_score: z.number().min(0).max(1),
    k_score_floor: z.number().min(0).max(1).exactOptional(),
    base_model: Name,
    recipe_kind: Name,
    tier: Name,
    eval_set_hash: Hash.exactOptional(),
    holdout_count: z.int().nonnegative(),
  })
  .catchall(AnyJson)
  .meta({ id: 'CredentialAssertions' })

/** A credential of an artifact. Unknown fields are kept: they are under both seals. */
export const Credential = z
  .object({
    spec: z.literal(CREDENTIAL_SPEC),
    type: z.literal('artifact'),
    artifact_id: Name,
    artifact_hash: Hash,
    cid: z.string().regex(/^cidv1:sha256:[0-9a-f]{64}$/),
    assertions: CredentialAssertions,
    ingredients: z.array(Ingredient).max(MOST_INGREDIENTS),
    signed_at: Time,
    key_id: KeyId.meta({ description: "names the tenant's receipt secret" }),
    signature_alg: z.literal('hmac-sha256+ed25519'),
    signature: MacField.meta({
      description: 'HMAC-SHA256 over the RFC 8785 form of all fields but signature and signature_ed25519',
    }),
    signature_ed25519: Ed25519Block,
  })
  .catchall(AnyJson)
  .meta({ id: 'Credential' })
export type Credential = z.infer<typeof Credential>

/** The facts that a credential attests. */
export type CredentialFacts = Pick<
  Credential,
  'artifact_id' | 'artifact_hash' | 'cid' | 'assertions' | 'ingredients' | 'signed_at'
>

/** Signs a credential: the HMAC of the tenant's secret first, Ed25519 over that. */
export function signCredential(facts: CredentialFacts, macKey: MacKey, signer: SigningKey): Credential {
  const body = {
    spec: CREDENTIAL_SPEC,
    type: 'artifact',
    ...facts,
    key_id: macKey.keyId,
    signature_alg: 'hmac-sha256+ed25519',
  } as const
  return signDocument({ ...body, signature: credentialMac(body, macKey.secret) }, signer)
}

/** True when the HMAC of a credential is the one under the secret. */
export function hasRightMac(credential: Credential, secret: MacSecret): boolean {
  return sameMac(credentialMac(credential, secret), credential.signature)
}

/** Checks the Ed25519 signature of a credential with public keys alone. */
export function checkCredentialSignature(credential: Credential, keys: TrustedKeys | undefined): SignatureCheck {
  return checkDocument(credential, keys)
}

function credentialMac(credential: JsonObject, secret: MacSecret): Mac {
  const { signature: _signature, signature_ed25519: _block, ...body } = credential
  return macText(canonicalJson(body), secret)
}
