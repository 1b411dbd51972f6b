import { z } from 'zod'
import { canonicalJson, type JsonObject, type Sha256 } from '../../kernel/json/json.ts'
import { macText, type Mac, type MacKey } from '../../kernel/json/mac.ts'
import { signText, type SigningKey } from '../keys/signing-key.ts'
import { AnyJson, Hash, KeyId, Kid, MacField, Name, Signature, Time } from '../wire/fields.ts'

/** A receipt of one run, spec `rs-1`. Unknown fields are kept: they are under the HMAC and the signature too. */
export const RunReceipt = z
  .object({
    spec: z.literal('rs-1'),
    input_hash: Hash.meta({ description: 'SHA-256 over the RFC 8785 form of the input' }),
    output_hash: Hash.meta({ description: 'SHA-256 over the RFC 8785 form of the output' }),
    version_id: Name,
    runtime_version: Name,
    issued_at: Time,
    key_id: KeyId.meta({ description: "names the tenant's receipt secret" }),
    hmac: MacField.meta({ description: 'HMAC-SHA256 over the RFC 8785 form of all fields but hmac and signature' }),
    kid: Kid,
    signature: Signature.meta({
      description: 'Ed25519, base64url, over the RFC 8785 form of all fields but signature',
    }),
    source_hash: Hash.exactOptional(),
    cache_hit: z.boolean().exactOptional(),
    latency_us: z.int().nonnegative().exactOptional(),
  })
  .catchall(AnyJson)
  .meta({ id: 'RunReceipt' })
export type RunReceipt = z.infer<typeof RunReceipt>

/** The facts a run receipt attests. */
export interface RunFacts {
  readonly inputHash: Sha256
  readonly outputHash: Sha256
  readonly versionId: string
  readonly runtimeVersion: string
  readonly issuedAt: Date
  /** Artifact hash of the recipe that ran. */
  readonly sourceHash?: Sha256
  readonly cacheHit?: boolean
  readonly latencyUs?: number
}

/** Signing keys of receipts: the tenant's current secret and the service's key. Open both once, not per receipt. */
export interface ReceiptSigner {
  readonly macKey: MacKey
  readonly signingKey: SigningKey
}

/** An rs-1 receipt as this service issues it. */
export interface SignedRunReceipt {
  readonly spec: 'rs-1'
  readonly input_hash: Sha256
  readonly output_hash: Sha256
  readonly version_id: string
  readonly runtime_version: string
  readonly issued_at: string
  readonly key_id: string
  readonly kid: string
  readonly hmac: Mac
  readonly signature: string
  readonly source_hash?: Sha256
  readonly cache_hit?: boolean
  readonly latency_us?: number
}

/** Signs the receipt of one run: the HMAC of the tenant's secret first, Ed25519 over that. */
export function signRunReceipt(facts: RunFacts, signer: ReceiptSigner): SignedRunReceipt {
  const body = {
    spec: 'rs-1' as const,
    input_hash: facts.inputHash,
    output_hash: facts.outputHash,
    version_id: facts.versionId,
    runtime_version: facts.runtimeVersion,
    issued_at: facts.issuedAt.toISOString(),
    key_id: signer.macKey.keyId,
    kid: signer.signingKey.kid,
    ...(facts.sourceHash === undefined ? {} : { source_hash: facts.sourceHash }),
    ...(facts.cacheHit === undefined ? {} : { cache_hit: facts.cacheHit }),
    ...(facts.latencyUs === undefined ? {} : { latency_us: facts.latencyUs }),
  }
  const hmac = macText(canonicalJson(body), signer.macKey.secret)
  const sealed = { ...body, hmac }
  return { ...sealed, signature: signText(canonicalJson(sealed), signer.signingKey.privateKey) }
}

/** The texts that the HMAC and the Ed25519 signature of a run receipt are made over. */
export function runReceiptTexts(receipt: JsonObject): { mac: string; signature: string } {
  const { signature: _signature, ...sealed } = receipt
  const { hmac: _hmac, ...body } = sealed
  return { mac: canonicalJson(body), signature: canonicalJson(sealed) }
}
