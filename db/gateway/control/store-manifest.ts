import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { signRunReceipt, type ReceiptSigner } from '../../../core/ledger/receipts/run-receipt.ts'
import { VALIDATION_VERSION, type ManifestReport } from '../../../core/gateway/control/manifest.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { hashJson, type JsonObject, type Sha256 } from '../../../core/kernel/json/json.ts'
import type { Limits } from '../../../core/gateway/limits.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import { AdapterManifestEntity, type AdapterManifest } from './control-records.ts'

/** A valid manifest, with its validation report. */
export interface StoreManifestInput {
  readonly manifest: NonNullable<ManifestReport['manifest']>
  readonly hash: Sha256
  readonly report: JsonObject
  readonly signer: ReceiptSigner
  readonly limits: Limits
}

/**
 * Stores a version of an adapter's manifest. Repeating the same one returns the stored one; a version never changes.
 * Throws `duplicate` when another manifest has this version, and `limit_reached`.
 */
export async function storeManifest(op: Operation, input: StoreManifestInput): Promise<AdapterManifest> {
  const { manifest, hash } = input
  const { adapter_id: adapterId, adapter_version: version } = manifest
  return await op.write(async (tx) => {
    await lockInTransaction(tx, `adapters ${op.tenantId}`)
    const known = await tx.em.findOne(AdapterManifestEntity, { adapterId, version })
    if (known !== null && known.hash === hash) return known
    if (known !== null) {
      throw ACCOUNTS_ERRORS.duplicate(`another manifest is version ${version} of ${adapterId}; raise the version`)
    }
    await requireRoom(tx, op.tenantId, input.limits.adapter_manifests_per_tenant)
    const id = newId('adm')
    const at = op.now()
    const receipt = signRunReceipt(
      {
        inputHash: hash,
        outputHash: hashJson(input.report),
        versionId: id,
        runtimeVersion: VALIDATION_VERSION,
        issuedAt: at,
      },
      input.signer,
    )
    const stored = tx.em.create(AdapterManifestEntity, {
      id,
      tenantId: op.tenantId,
      adapterId,
      version,
      hash,
      manifest: { ...manifest },
      report: { ...input.report, receipt: { ...receipt } },
      createdAt: at,
    })
    await recordAudit(tx, op, {
      action: 'control.manifest_validated',
      target: id,
      payload: { adapter_id: adapterId, version, hash },
    })
    return stored
  })
}

/** Runs under the lock that every change of the tenant's manifests takes. */
async function requireRoom(tx: Transaction, tenantId: string, most: number): Promise<void> {
  const row = await tx.q
    .selectFrom('adapter_manifests')
    .select(tx.q.fn.countAll<number>().as('kept'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  if ((row?.kept ?? 0) < most) return
  throw ACCOUNTS_ERRORS.limit_reached(`${most} manifests are stored already, and a valid version stays`, {
    details: { max: most },
  })
}
