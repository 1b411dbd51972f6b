import { z } from 'zod'
import { canonicalJson, type Sha256 } from '../../kernel/json/json.ts'
import { macText } from '../../kernel/json/mac.ts'
import { signText } from '../keys/signing-key.ts'
import { AnyJson, Hash, KeyId, Kid, MacField, Name, Signature, Time } from '../wire/fields.ts'
import type { ReceiptSigner } from './run-receipt.ts'

/** Ways in which a measured gate decides. */
export const MEASURED_MODES = ['sealed', 'sequential', 'evaluations'] as const
export type MeasuredMode = (typeof MEASURED_MODES)[number]

/** The receipt of a gate that was measured, spec `svc-gate-1`. Unknown fields are kept, as of a run receipt. */
export const GateReceipt = z
  .object({
    spec: z.literal('svc-gate-1'),
    gate_id: Name,
    mode: z.enum(MEASURED_MODES),
    decision: z.enum(['promote', 'block']),
    registration_hash: Hash.meta({
      description:
        'SHA-256 over the RFC 8785 form of the registration, which the audit ledger has held since before the first row was scored; of a gate on evaluations, since the decision',
    }),
    data_root: Hash.meta({
      description: 'Root of the Merkle tree (RFC 6962) over the rows; of a sealed holdout its leaves are salted',
    }),
    rows: z.int().positive(),
    candidate_cid: Name.nullable().meta({ description: 'Null for an evaluation of a target that is no artifact' }),
    baseline_cid: Name.nullable(),
    candidate_evaluation_id: Name.optional().meta({ description: 'Of a gate on evaluations' }),
    baseline_evaluation_id: Name.optional(),
    results_hash: Hash.meta({ description: 'Root of the tree over the results of the rows that were scored' }),
    attempt: z.int().positive().nullable().meta({
      description:
        'Number of the attempt on a sealed holdout, or of the gates of both artifacts on these rows; null in older receipts of given rows',
    }),
    alpha: z.number(),
    level: z.number().meta({ description: 'The level at which this attempt tested' }),
    runtime_version: Name,
    issued_at: Time,
    key_id: KeyId.meta({ description: "names the tenant's receipt secret" }),
    hmac: MacField.meta({ description: 'HMAC-SHA256 over the RFC 8785 form of all fields but hmac and signature' }),
    kid: Kid,
    signature: Signature.meta({
      description: 'Ed25519, base64url, over the RFC 8785 form of all fields but signature',
    }),
  })
  .catchall(AnyJson)
  .meta({ id: 'GateReceipt' })
export type GateReceipt = z.infer<typeof GateReceipt>

/** The facts that the receipt of a gate attests. */
export interface GateFacts {
  readonly gateId: string
  readonly mode: MeasuredMode
  readonly decision: GateReceipt['decision']
  readonly registrationHash: Sha256
  readonly dataRoot: Sha256
  readonly rows: number
  readonly candidateCid: string | null
  readonly baselineCid: string | null
  /** The ids of the evaluations of a gate on them. */
  readonly evaluations?: { readonly candidate: string; readonly baseline: string }
  readonly resultsHash: Sha256
  readonly attempt: number | null
  readonly alpha: number
  readonly level: number
  readonly runtimeVersion: string
  readonly issuedAt: Date
}

/** Signs the receipt of a gate: the HMAC of the tenant's secret first, Ed25519 over that. */
export function signGateReceipt(facts: GateFacts, signer: ReceiptSigner): GateReceipt {
  const body = {
    spec: 'svc-gate-1' as const,
    gate_id: facts.gateId,
    mode: facts.mode,
    decision: facts.decision,
    registration_hash: facts.registrationHash,
    data_root: facts.dataRoot,
    rows: facts.rows,
    candidate_cid: facts.candidateCid,
    baseline_cid: facts.baselineCid,
    ...(facts.evaluations !== undefined && {
      candidate_evaluation_id: facts.evaluations.candidate,
      baseline_evaluation_id: facts.evaluations.baseline,
    }),
    results_hash: facts.resultsHash,
    attempt: facts.attempt,
    alpha: facts.alpha,
    level: facts.level,
    runtime_version: facts.runtimeVersion,
    issued_at: facts.issuedAt.toISOString(),
    key_id: signer.macKey.keyId,
    kid: signer.signingKey.kid,
  }
  const sealed = { ...body, hmac: macText(canonicalJson(body), signer.macKey.secret) }
  return { ...sealed, signature: signText(canonicalJson(sealed), signer.signingKey.privateKey) }
}
