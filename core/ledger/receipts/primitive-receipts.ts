import { z } from 'zod'
import { canonicalJson, type JsonObject, type Sha256 } from '../../kernel/json/json.ts'
import { macText } from '../../kernel/json/mac.ts'
import { signText } from '../keys/signing-key.ts'
import { AnyJson, Hash, KeyId, Kid, MacField, Name, Signature, Time } from '../wire/fields.ts'
import type { ReceiptSigner } from './run-receipt.ts'

const SEALED = {
  spec: z.literal('rs-1'),
  input_hash: Hash,
  output_hash: Hash,
  runtime_version: Name,
  issued_at: Time,
  key_id: KeyId.meta({ description: "names the tenant's receipt secret" }),
  hmac: MacField.meta({ description: 'HMAC-SHA256 over the RFC 8785 form of all fields but hmac and signature' }),
  kid: Kid,
  signature: Signature.meta({
    description: 'Ed25519, base64url, over the RFC 8785 form of all fields but signature',
  }),
} as const

/** Most samples that one answer is chosen from. */
export const MOST_SAMPLES = 64
/** Most passages of documents that one answer rests on. */
const MOST_BOUND_PASSAGES = 64
/** Most artifacts that one composition asks. */
export const MOST_DISPATCHES = 32

/** The receipt of an answer that was chosen from samples by a verifier. Unknown fields are kept, as of a run receipt. */
export const VerifiedReceipt = z
  .object({
    ...SEALED,
    primitive: z.literal('verified-inference'),
    input_hash: Hash.meta({ description: 'SHA-256 over the RFC 8785 form of `{messages, system}`, as they were sent' }),
    output_hash: Hash.meta({ description: 'SHA-256 over the RFC 8785 form of the text of the answer' }),
    model: z.string().min(1).max(512),
    verifier: z.enum(['answer', 'program', 'judge']),
    verifier_hash: Hash.meta({ description: 'SHA-256 over the RFC 8785 form of the test cases or of the judge' }),
    k: z.int().min(1).max(MOST_SAMPLES),
    samples_hashes: z.array(Hash).min(1).max(MOST_SAMPLES),
    chosen_index: z.int().nonnegative(),
    passes: z.int().nonnegative(),
    total: z.int().positive(),
    verified: z.boolean(),
    passages_hashes: z.array(Hash).max(MOST_BOUND_PASSAGES).optional().meta({
      description:
        'SHA-256 over the RFC 8785 form of `{path, text}` of each passage of documents that the model got, in their order; absent in receipts of earlier versions',
    }),
    cost_usd_micros: z.int().nonnegative().nullable().meta({
      description: 'Measured cost of all samples at the provider; null for a model without a known price',
    }),
  })
  .catchall(AnyJson)
  .meta({ id: 'VerifiedReceipt' })
export type VerifiedReceipt = z.infer<typeof VerifiedReceipt>

/** The receipt of an answer that several artifacts gave. Unknown fields are kept, as of a run receipt. */
export const CompositionReceipt = z
  .object({
    ...SEALED,
    primitive: z.literal('composition'),
    query_hash: Hash.meta({ description: 'SHA-256 over the RFC 8785 form of the query' }),
    strategy: Name,
    dispatches: z
      .array(
        z
          .object({
            version_id: Name,
            receipt_hash: Hash.nullable().meta({
              description: 'SHA-256 over the RFC 8785 form of the run receipt; null for a run that failed',
            }),
          })
          .meta({ id: 'ComposedRun' }),
      )
      .max(MOST_DISPATCHES),
  })
  .catchall(AnyJson)
  .meta({ id: 'CompositionReceipt' })
export type CompositionReceipt = z.infer<typeof CompositionReceipt>

/** Facts that every receipt of these kinds states. */
interface AnswerFacts {
  readonly inputHash: Sha256
  readonly outputHash: Sha256
  readonly runtimeVersion: string
  readonly issuedAt: Date
}

/** The facts that the receipt of a verified answer attests. */
export interface VerifiedFacts extends AnswerFacts {
  readonly model: string
  readonly verifier: VerifiedReceipt['verifier']
  readonly verifierHash: Sha256
  readonly k: number
  readonly sampleHashes: readonly Sha256[]
  /** Of the passages that the model got, in their order. */
  readonly passageHashes: readonly Sha256[]
  readonly chosenIndex: number
  readonly passes: number
  readonly total: number
  readonly isVerified: boolean
  readonly costUsdMicros: number | null
}

/** Signs the receipt of a verified answer. */
export function signVerifiedReceipt(facts: VerifiedFacts, signer: ReceiptSigner): VerifiedReceipt {
  return seal(
    {
      spec: 'rs-1',
      primitive: 'verified-inference',
      ...stated(facts),
      model: facts.model,
      verifier: facts.verifier,
      verifier_hash: facts.verifierHash,
      k: facts.k,
      samples_hashes: [...facts.sampleHashes],
      chosen_index: facts.chosenIndex,
      passes: facts.passes,
      total: facts.total,
      verified: facts.isVerified,
      passages_hashes: [...facts.passageHashes],
      cost_usd_micros: facts.costUsdMicros,
    } as const,
    signer,
  )
}

/** The facts that the receipt of a composition attests. */
export interface CompositionFacts extends AnswerFacts {
  readonly queryHash: Sha256
  readonly strategy: string
  readonly dispatches: readonly { readonly versionId: string; readonly receiptHash: Sha256 | null }[]
}

/** Signs the receipt of a composition. */
export function signCompositionReceipt(facts: CompositionFacts, signer: ReceiptSigner): CompositionReceipt {
  return seal(
    {
      spec: 'rs-1',
      primitive: 'composition',
      ...stated(facts),
      query_hash: facts.queryHash,
      strategy: facts.strategy,
      dispatches: facts.dispatches.map(({ versionId, receiptHash }) => ({
        version_id: versionId,
        receipt_hash: receiptHash,
      })),
    } as const,
    signer,
  )
}

function stated({ inputHash, outputHash, runtimeVersion, issuedAt }: AnswerFacts) {
  return {
    input_hash: inputHash,
    output_hash: outputHash,
    runtime_version: runtimeVersion,
    issued_at: issuedAt.toISOString(),
  }
}

/** The HMAC of the tenant's secret first, Ed25519 over that. */
function seal<Body extends JsonObject>(body: Body, { macKey, signingKey }: ReceiptSigner) {
  const named = { ...body, key_id: macKey.keyId, kid: signingKey.kid }
  const sealed = { ...named, hmac: macText(canonicalJson(named), macKey.secret) }
  return { ...sealed, signature: signText(canonicalJson(sealed), signingKey.privateKey) }
}
