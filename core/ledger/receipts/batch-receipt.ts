import { z } from 'zod'
import { canonicalJson, type Sha256 } from '../../kernel/json/json.ts'
import { macText } from '../../kernel/json/mac.ts'
import { signText } from '../keys/signing-key.ts'
import { AnyJson, Hash, KeyId, Kid, MacField, Name, Signature, Time } from '../wire/fields.ts'
import type { ReceiptSigner } from './run-receipt.ts'

/** Forms of the rows that a batch answers in; the leaves of its tree follow from them. */
export const BATCH_FORMATS = ['jsonl', 'csv'] as const
/** Form of the rows of a batch. */
export type BatchFormat = (typeof BATCH_FORMATS)[number]

/** A receipt of all rows of a batch, spec `rb-1`. Unknown fields are kept: they are under the HMAC and the signature too. */
export const BatchReceipt = z
  .object({
    spec: z.literal('rb-1'),
    batch_id: Name,
    root_hash: Hash.meta({
      description:
        'Root of the Merkle tree (RFC 6962, 2.1) over the rows in their order. A leaf is the RFC 8785 form of the row: of a JSON line its object, of a CSV row the list of its cells as texts',
    }),
    rows: z.int().nonnegative(),
    format: z.enum(BATCH_FORMATS),
    input_hash: Hash.meta({ description: 'SHA-256 of the input as it was sent' }),
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
  })
  .catchall(AnyJson)
  .meta({ id: 'BatchReceipt' })
export type BatchReceipt = z.infer<typeof BatchReceipt>

/** The facts a batch receipt attests. */
export interface BatchFacts {
  readonly batchId: string
  readonly rootHash: Sha256
  readonly rows: number
  readonly format: BatchFormat
  readonly inputHash: Sha256
  readonly versionId: string
  readonly runtimeVersion: string
  readonly issuedAt: Date
  /** Artifact hash of the recipe that ran. */
  readonly sourceHash: Sha256
}

/** Signs the receipt of a batch: the HMAC of the tenant's secret first, Ed25519 over that. */
export function signBatchReceipt(facts: BatchFacts, signer: ReceiptSigner): BatchReceipt {
  const body = {
    spec: 'rb-1' as const,
    batch_id: facts.batchId,
    root_hash: facts.rootHash,
    rows: facts.rows,
    format: facts.format,
    input_hash: facts.inputHash,
    version_id: facts.versionId,
    runtime_version: facts.runtimeVersion,
    issued_at: facts.issuedAt.toISOString(),
    source_hash: facts.sourceHash,
    key_id: signer.macKey.keyId,
    kid: signer.signingKey.kid,
  }
  const sealed = { ...body, hmac: macText(canonicalJson(body), signer.macKey.secret) }
  return { ...sealed, signature: signText(canonicalJson(sealed), signer.signingKey.privateKey) }
}
