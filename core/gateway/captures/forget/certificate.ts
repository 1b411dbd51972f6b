import { hash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '../../../kernel/json/json.ts'
import { signDocument } from '../../../ledger/keys/sealed-document.ts'
import type { SigningKey } from '../../../ledger/keys/signing-key.ts'
import type { CaptureLearner } from '../../ports.ts'

/** Usual reasons to forget; others are free text. */
export const FORGET_REASONS = [
  'gdpr_erasure_request',
  'pii_flagged',
  'license_revoked',
  'court_order',
  'user_request',
  'other',
] as const

/** A capture that was erased. */
export interface ForgottenCapture {
  readonly tenantId: string
  readonly namespace: string
  readonly captureId: string
  /** Hash of its row in the chain, hexadecimal, which stays. */
  readonly chainHash: string
  readonly reason: string
  readonly requestedBy: string
  readonly at: Date
  /** True when the capture had a blob, which housekeeping removes. */
  readonly hadBlob: boolean
  /** Jobs and datasets that learned from it, all of them flagged. */
  readonly learners: readonly CaptureLearner[]
}

/** Artifacts that a certificate names; of more it states the number. */
const MOST_NAMED = 100

/** The id of a capture's certificate: the same for every request. */
export function certificateId(tenantId: string, captureId: string): string {
  return `forget_${hash('sha256', `audit:${tenantId}:${captureId}`).slice(0, 24)}`
}

/**
 * The signed certificate of an erasure, `svc-capture-deletion-1`. It names the capture by hashes (`sha256(scope:value)`),
 * so that it can be shown to others, and covers itself: `tombstone_hash` over the facts of the erasure, `certificate_hash`
 * over everything, both in RFC 8785 form. Artifacts that learned from the capture are named by their ids; their archives, which
 * stay as they were signed, are an exception.
 */
export function deletionCertificate(forgotten: ForgottenCapture, signer: SigningKey): JsonObject {
  const { tenantId, namespace, captureId, reason, requestedBy, at, hadBlob, learners } = forgotten
  const artifacts = learners.filter(({ isArtifact }) => isArtifact).map(({ id }) => id)
  const tombstone = {
    kind: 'svc-capture-deletion-1',
    version: 1,
    tenant_hash: scopedHash('tenant', tenantId),
    capture_id_hash: scopedHash('capture', captureId),
    namespace_hash: scopedHash('namespace', namespace),
    chain_hash: forgotten.chainHash,
    future_training_blocked: true,
    original_capture_retained_for_forensics: false,
    hard_delete_status: 'performed',
    derived_artifacts_status: learners.some(({ isDataset }) => isDataset !== true)
      ? 'redistill_required'
      : 'none_known',
  }
  const certificate = {
    ...tombstone,
    reason,
    reason_hash: scopedHash('reason', reason),
    requested_by: requestedBy,
    requested_by_hash: scopedHash('actor', requestedBy),
    forgotten_at: at.toISOString(),
    audit_event_id: certificateId(tenantId, captureId),
    derived_artifacts: { flagged: artifacts.length, ids: artifacts.slice(0, MOST_NAMED) },
    residual_exceptions: [
      ...(hadBlob ? ['large contents and files: housekeeping removes their bytes'] : []),
      ...(artifacts.length > 0
        ? ['signed archives of artifacts that learned from it keep their bytes; the artifacts need a review']
        : []),
      ...(learners.some(({ isDataset }) => isDataset !== true)
        ? ['examples stored with compiles that learned from it: a chore erases them']
        : []),
      ...(learners.some(({ isDataset }) => isDataset === true)
        ? ['rows of datasets that were made of it: a chore erases them; their hashes stay']
        : []),
    ],
    tombstone_hash: digest(tombstone),
  }
  return signDocument({ ...certificate, certificate_hash: digest(certificate) }, signer)
}

function scopedHash(scope: string, value: string): string {
  return `sha256:${hash('sha256', `${scope}:${value}`)}`
}

function digest(document: JsonObject): string {
  return `sha256:${hash('sha256', canonicalJson(document))}`
}
