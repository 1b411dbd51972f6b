import { z } from 'zod'
import { Hash, Kid, Name, Time } from '../../../ledger/wire/fields.ts'
import { FALLBACK_REASONS } from '../../routing/route-facts.ts'

/** The form of a receipt. */
export const AUDIT_SCHEMA = 'svc-audit-1'

/** As the provider counts them, whatever it counts. */
const Tokens = z.number().nonnegative()
/** Longest name of a model in a receipt: receipts travel in headers. */
export const MOST_NAME_CHARS = 300
const Text = z.string().max(MOST_NAME_CHARS)

/** A model that was asked and did not answer. */
const FailedAttempt = z.object({
  provider: Name,
  model: Text,
  reason: z.enum(FALLBACK_REASONS),
  status: z.int().nullable().meta({ description: 'Status of the provider; null when there was none' }),
})

/**
 * The receipt of one answered call of a model. The signature is Ed25519 over the bytes of this document as they are sent:
 * compact JSON, the first 20 members in this order.
 */
export const AuditReceipt = z
  .object({
    schema: z.literal(AUDIT_SCHEMA),
    receipt_id: z.string().regex(/^rcpt_[A-Za-z0-9]{20,}$/),
    timestamp: Time.meta({ description: 'When the call came in' }),
    namespace_id: Name,
    route_decision: z.enum(['local', 'frontier']),
    provider: Name.meta({ description: 'The provider that answered' }),
    model: Text.meta({ description: 'The model that answered, by the name that its provider was asked with' }),
    artifact_id: Name.nullable(),
    confidence: z.number().min(0).max(1).nullable(),
    fallback_reason: z
      .enum(FALLBACK_REASONS)
      .nullable()
      .meta({ description: 'Why the target before this one did not answer; null when the first one did' }),
    input_hash: Hash.meta({
      description: 'SHA-256 of the RFC 8785 form of the body as it was sent on, without what is redacted in the record',
    }),
    output_hash: Hash.meta({
      description: 'SHA-256 of the bytes that the caller got; of an answer that ends with its receipt, without that',
    }),
    capture_eligible: z.boolean().meta({ description: 'True when the content of the call is captured' }),
    capture_id: Name.nullable().meta({ description: 'Null where the namespace stores nothing of its calls' }),
    redaction_applied: z.array(Name),
    input_tokens: Tokens,
    output_tokens: Tokens,
    cost_usd: z.number().nonnegative().nullable().meta({ description: 'Null for a model without a known price' }),
    signing_key_id: Kid,
    verify_url: z.url().meta({ description: 'The public keys that check the signature' }),
    request_model: Text.meta({ description: 'The model as the caller named it' }),
    response_model: Text.nullable().meta({
      description: 'The model as the answer names it; null when it does not, or too long',
    }),
    outcome: z.enum(['whole', 'interrupted', 'left']).meta({
      description: 'Whether the answer is whole, was cut off by its provider, or left by its caller',
    }),
    tokens_estimated: z.boolean().meta({ description: 'True when the provider did not count the tokens' }),
    failed_attempts: z.array(FailedAttempt).meta({ description: 'The targets that were asked before, in order' }),
    concept_match: z.number().min(0).max(1).exactOptional().meta({
      description: 'Probability that the call is for the concept whose artifact was asked; absent where it was named',
    }),
    request_id: Name,
    public_key: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/)
      .meta({ description: 'The key of the signature, as in its JWK; signing_key_id is its fingerprint' }),
  })
  .meta({ id: 'AuditReceipt' })
/** The receipt of one answered call of a model. */
export type AuditReceipt = z.infer<typeof AuditReceipt>
