import { createHash } from 'node:crypto'
import { z } from 'zod'
import { base32 } from '../../kernel/ids.ts'
import { canonicalJson, type JsonObject, type Sha256 } from '../../kernel/json/json.ts'
import { macText, type Mac, type MacKey } from '../../kernel/json/mac.ts'
import { Ed25519Block, signDocument } from '../keys/sealed-document.ts'
import type { SigningKey } from '../keys/signing-key.ts'
import { buildChain, ChainLink, type BuildSpec, type ChainStep, type ChainSubject } from './chain.ts'
import { AnyJson, Hash, KeyId, MacField, Name, Time } from '../wire/fields.ts'

/** Value of `svc_version` in a build receipt. */
export const RECEIPT_VERSION = 'svc-1'

/** The receipt of a build: `receipt.json` of an archive. Unknown fields are kept, they are under both seals. */
export const BuildReceipt = z
  .object({
    svc_version: z.literal(RECEIPT_VERSION),
    receipt_id: z.string().regex(/^rcpt_[0-9a-z]{26}$/),
    job_id: Name,
    cid: z.string().regex(/^cidv1:sha256:[0-9a-f]{64}$/),
    artifact_hash: Hash,
    eval_set_hash: Hash,
    k_score: z.number().min(0).max(1),
    runtime_version: Name,
    chain: z.array(ChainLink).max(16),
    key_id: KeyId,
    signed_at: Time,
    signature_alg: z.literal('hmac-sha256+ed25519'),
    signature: MacField.meta({
      description: 'HMAC-SHA256 over the RFC 8785 form of all fields but signature and signature_ed25519',
    }),
    signature_ed25519: Ed25519Block,
  })
  .catchall(AnyJson)
  .meta({ id: 'BuildReceipt' })
export type BuildReceipt = z.infer<typeof BuildReceipt>

/** The facts a build receipt attests. */
export interface BuildReceiptFacts {
  readonly jobId: string
  readonly cid: string
  readonly artifactHash: Sha256
  readonly evalSetHash: Sha256
  readonly kScore: number
  readonly runtimeVersion: string
  readonly spec: BuildSpec
  readonly subjects: Readonly<Record<ChainStep, ChainSubject>>
  readonly issuedAt: Date
}

/** The id of a build's receipt: `rcpt_` and 128 bits of the digest of `{artifact_hash, job_id}`; a retry mints the same. */
export function receiptId(jobId: string, artifactHash: Sha256): string {
  const digest = createHash('sha256')
    .update(canonicalJson({ artifact_hash: artifactHash, job_id: jobId }))
    .digest()
  return `rcpt_${base32(digest.subarray(0, 16))}`
}

/** Signs the receipt of a build. The same facts and keys give the same receipt. */
export function signBuildReceipt(facts: BuildReceiptFacts, macKey: MacKey, signer: SigningKey): BuildReceipt {
  const id = receiptId(facts.jobId, facts.artifactHash)
  const body = {
    svc_version: RECEIPT_VERSION,
    receipt_id: id,
    job_id: facts.jobId,
    cid: facts.cid,
    artifact_hash: facts.artifactHash,
    eval_set_hash: facts.evalSetHash,
    k_score: facts.kScore,
    runtime_version: facts.runtimeVersion,
    chain: buildChain({
      receiptId: id,
      spec: facts.spec,
      subjects: facts.subjects,
      artifactHash: facts.artifactHash,
      secret: macKey.secret,
    }),
    key_id: macKey.keyId,
    signed_at: facts.issuedAt.toISOString(),
    signature_alg: 'hmac-sha256+ed25519',
  } as const
  return signDocument({ ...body, signature: macText(canonicalJson(body), macKey.secret) }, signer)
}

/** The HMAC that a build receipt should carry under a secret. */
export function buildReceiptMac(receipt: JsonObject, secret: MacKey['secret']): Mac {
  const { signature: _signature, signature_ed25519: _block, ...body } = receipt
  return macText(canonicalJson(body), secret)
}
