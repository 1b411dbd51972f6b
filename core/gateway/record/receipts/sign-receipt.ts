import { hashJson, type Sha256 } from '../../../kernel/json/json.ts'
import { toJwk } from '../../../ledger/keys/jwk.ts'
import { signText, type SigningKey } from '../../../ledger/keys/signing-key.ts'
import { reasonOf } from '../../routing/route-facts.ts'
import type { CallRecord } from '../call-record.ts'
import { AUDIT_SCHEMA, MOST_NAME_CHARS, type AuditReceipt } from './audit-receipt.ts'

/** A signed receipt in the form in which it is sent. */
export interface SignedReceipt {
  readonly receipt: AuditReceipt
  /** The signed bytes, the receipt as compact JSON, in base64url. */
  readonly encoded: string
  /** Ed25519 over those bytes, base64url. */
  readonly signature: string
}

/** The part of a call that its capture holds. */
export type KeptPart = 'content' | 'hashes' | 'nothing'

/** The signer of receipts. */
export interface ReceiptIssuer {
  readonly signingKey: SigningKey
  /** Address of the public keys. */
  readonly verifyUrl: string
  readonly keeps: KeptPart
  /** The hash of the body as it was sent on, where it is known. */
  readonly inputHash?: Sha256
}

/** Signs the receipt of an answered call. Returns null for a call that no target answered. */
export function signReceipt(
  record: CallRecord,
  { signingKey, verifyUrl, keeps, inputHash }: ReceiptIssuer,
): SignedReceipt | null {
  const { provider, model, outcome, usage, costMicros, attempts, route } = record
  if (outcome === 'failed' || provider === null || model === null) return null
  const failed = attempts.flatMap((attempt) => {
    const reason = reasonOf(attempt)
    return reason === null ? [] : [{ provider: attempt.provider, model: attempt.model, reason, status: attempt.status }]
  })
  // The order of members is that of the specification: the signature is over the text.
  const receipt: AuditReceipt = {
    schema: AUDIT_SCHEMA,
    receipt_id: record.receiptId,
    timestamp: record.at.toISOString(),
    namespace_id: record.namespace,
    route_decision: route.decision,
    provider,
    model,
    artifact_id: route.artifactId,
    confidence: route.confidence,
    fallback_reason: route.fallbackReason,
    input_hash: inputHash ?? hashJson(record.sent),
    output_hash: `sha256:${record.outputHash}`,
    capture_eligible: keeps === 'content',
    capture_id: keeps === 'nothing' ? null : record.captureId,
    redaction_applied: [...record.gate.redacted],
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cost_usd: costMicros === null ? null : costMicros / 1e6,
    signing_key_id: signingKey.kid,
    verify_url: verifyUrl,
    request_model: record.requestModel,
    response_model: namedOf(record.answer?.model),
    outcome,
    tokens_estimated: usage.isEstimated,
    failed_attempts: failed,
    ...(route.conceptMatch !== undefined && { concept_match: route.conceptMatch }),
    request_id: record.requestId,
    public_key: publicKeyOf(signingKey),
  }
  const text = JSON.stringify(receipt)
  return {
    receipt,
    encoded: Buffer.from(text).toString('base64url'),
    signature: signText(text, signingKey.privateKey),
  }
}

/** A provider may name its model by any text, or by none. */
function namedOf(model: string | undefined): string | null {
  return model === undefined || model === '' || model.length > MOST_NAME_CHARS ? null : model
}

const publicKeys = new WeakMap<SigningKey, string>()

/** The public half in the form of its JWK. It is the same for every receipt, and exporting it costs as much as signing. */
function publicKeyOf(key: SigningKey): string {
  const known = publicKeys.get(key)
  if (known !== undefined) return known
  const { x } = toJwk(key.publicKey)
  publicKeys.set(key, x)
  return x
}
