import { controlsOf, type Control } from '../../../../core/overview/compliance/controls.ts'
import { writePackage, type PackageFile, type WrittenFile } from '../../../../core/overview/compliance/write-package.ts'
import { toJwk } from '../../../../core/ledger/keys/jwk.ts'
import { signDocument, type Ed25519Block } from '../../../../core/ledger/keys/sealed-document.ts'
import type { JsonObject, Sha256 } from '../../../../core/kernel/json/json.ts'
import type { Spool } from '../../../../core/overview/compliance/spool.ts'
import type { Limits } from '../../../../core/overview/limits.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { AuditEntry } from '../../../ledger/audit/audit-entry.ts'
import { readCheckpoints } from '../../../ledger/audit/read-checkpoints.ts'
import { listAudit, streamAudit } from '../../../ledger/audit/list-audit.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import type { Database } from '../../../kernel/database.ts'
import { requireScope, type Operation } from '../../../kernel/operation.ts'
import type { SigningKeys } from '../../../ledger/across/signing-keys.ts'
import { requireAllNamespaces } from '../../../kernel/namespaces/bounds.ts'
import { packageFacts, type PackageCounts, type PackagedTenant } from './facts.ts'
import { newestReceipts, streamReceipts, type ArtifactReceipt } from './receipts.ts'

/** Lines and receipts in the answer itself; all of them are in the zip. */
const SHOWN = 100

/** A recipient of data from the service, as configured. */
export type Subprocessor = { readonly name: string; readonly purpose: string }

/** Description of the service in a package. */
export interface PackagedService {
  readonly limits: Limits
  readonly region: string
  readonly publicUrl: string | undefined
  readonly signingKeys: SigningKeys
  readonly subprocessors: readonly Subprocessor[]
}

/** The statement that the service signs: the zip's digest and its time. */
export type Attestation = {
  readonly spec: 'svc-compliance-attestation-v1'
  readonly bundle_id: string
  readonly tenant_id: string
  readonly generated_at: string
  readonly zip_sha256: Sha256
  readonly files: readonly WrittenFile[]
}

/** A compliance package. */
export interface CompliancePackage {
  readonly bundleId: string
  readonly generatedAt: Date
  readonly tenant: PackagedTenant
  /** Active members by role. */
  readonly members: Readonly<Record<string, number>>
  readonly counts: PackageCounts
  readonly controls: readonly Control[]
  readonly receipts: readonly ArtifactReceipt[]
  readonly auditLog: readonly AuditEntry[]
  readonly attestation: Attestation & { readonly signature_ed25519: Ed25519Block }
  readonly zip: Spool
  /** Releases the zip, and allows the tenant's next package. The caller must call it when done. */
  close(): Promise<void>
}

/** The tenants whose package is currently made or sent. */
const busyOf = new WeakMap<Database, Set<string>>()

/**
 * Makes a package of evidence about the handling of the tenant's data: facts, measures, the whole audit log with its
 * checkpoints, the receipts of all artifacts, and the keys that check them, as a zip whose digest is signed. Throws
 * `payload_too_large` when the zip passes its limit, and `busy` while another package of the tenant is made or sent:
 * each reads the whole ledger. The ledger records each package.
 */
export async function buildCompliancePackage(op: Operation, service: PackagedService): Promise<CompliancePackage> {
  requireScope(op, 'account:export')
  requireAllNamespaces(op)
  const busy = busyOf.get(op.db) ?? new Set<string>()
  busyOf.set(op.db, busy)
  if (busy.has(op.tenantId)) throw KERNEL_ERRORS.busy('another package is being created', { retryAfterS: 5 })
  busy.add(op.tenantId)
  try {
    const made = await makePackage(op, service)
    const close = async (): Promise<void> => {
      busy.delete(op.tenantId)
      await made.zip.close()
    }
    return { ...made, close }
  } catch (error) {
    busy.delete(op.tenantId)
    throw error
  }
}

async function makePackage(op: Operation, service: PackagedService): Promise<Omit<CompliancePackage, 'close'>> {
  const generatedAt = op.now()
  const { current, all } = service.signingKeys
  const facts = await packageFacts(op, { ...service, signingKeys: all.map(({ kid }) => kid) })
  const bundleId = `cpkg-${facts.tenant.name}-${generatedAt.toISOString().slice(0, 10)}`
  const controls = controlsOf(facts.controls)
  const head = { spec: 'svc-compliance-package-v1', bundle_id: bundleId, generated_at: generatedAt.toISOString() }
  const { subprocessors } = service
  const { tenant, counts } = facts
  const { members } = facts.controls
  const files: readonly PackageFile[] = [
    jsonFile('facts.json', { ...head, tenant, org: { members }, counts, subprocessors }),
    jsonFile('controls.json', { controls }),
    { name: 'audit.jsonl', pieces: () => auditLines(op) },
    { name: 'checkpoints.json', pieces: () => checkpointDocument(op) },
    { name: 'receipts.jsonl', pieces: () => receiptLines(op) },
    jsonFile('jwks.json', { keys: all.map(({ publicKey }) => toJwk(publicKey)) }),
  ]
  const written = await writePackage(files, { maxBytes: service.limits.compliance_zip_bytes, at: generatedAt })
  try {
    const attestation: Attestation = {
      spec: 'svc-compliance-attestation-v1',
      bundle_id: bundleId,
      tenant_id: op.tenantId,
      generated_at: head.generated_at,
      zip_sha256: written.sha256,
      files: written.files,
    }
    const [receipts, { items: auditLog }] = await Promise.all([
      newestReceipts(op, SHOWN),
      listAudit(op, { limit: SHOWN }),
    ])
    await op.write(async (tx) => {
      await recordAudit(tx, op, {
        action: 'compliance_package.created',
        target: op.tenantId,
        payload: { bundle_id: bundleId, zip_sha256: written.sha256, bytes: written.zip.sizeBytes },
      })
    })
    return {
      bundleId,
      generatedAt,
      tenant,
      members,
      counts,
      controls,
      receipts,
      auditLog,
      attestation: signDocument(attestation, current),
      zip: written.zip,
    }
  } catch (error) {
    await written.zip.close()
    throw error
  }
}

function jsonFile(name: string, document: JsonObject): PackageFile {
  return { name, pieces: () => [`${JSON.stringify(document, undefined, 2)}\n`] }
}

async function* auditLines(op: Operation): AsyncGenerator<string> {
  for await (const entry of streamAudit(op, {})) {
    const { seq, id, at, actor, action, target, requestId, payload, keyId, prevHash, hash } = entry
    yield `${JSON.stringify({
      seq,
      id,
      tenant_id: op.tenantId,
      at,
      actor,
      action,
      target: target ?? null,
      request_id: requestId,
      payload,
      chain_version: 1,
      key_id: keyId,
      prev_hash: prevHash,
      event_hash: hash,
    })}\n`
  }
}

async function* checkpointDocument(op: Operation): AsyncGenerator<string> {
  const kept = await readCheckpoints(op, op.tenantId)
  yield `${JSON.stringify({ checkpoints: kept.map(({ checkpoint }) => checkpoint) }, undefined, 2)}\n`
}

async function* receiptLines(op: Operation): AsyncGenerator<string> {
  for await (const { artifactId, name, archiveHash, kScore, receipt, createdAt } of streamReceipts(op)) {
    const line = {
      artifact_id: artifactId,
      name,
      archive_hash: archiveHash,
      k_score: kScore,
      created_at: createdAt,
      receipt,
    }
    yield `${JSON.stringify(line)}\n`
  }
}
