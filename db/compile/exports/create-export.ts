import { Export } from '../../../core/compile/workflows.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import { openArchive } from '../artifacts/find-artifact.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import { requireAllowance } from '../../kernel/storage/allowance.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import { lockInTransaction, inAllNamespaces, type Transaction } from '../../kernel/transaction.ts'
import { ExportJobEntity, type ExportJob } from './export-job.ts'
import { findExport } from './find-export.ts'

/** The export to make, as validated. */
export interface CreateExportInput {
  readonly artifactId: string
  readonly target: string
  readonly quant: string | null
  readonly part: string
  readonly destination: string
  readonly limits: Limits
}

/**
 * Accepts an export: its row, the request for its workflow and the audit row in one transaction. Throws `not_found`,
 * `not_ready`, `k_score_below_floor`, `artifact_revoked` or `artifact_expired` as a download of the artifact does,
 * `too_many_running_jobs` `{running, max}`, `storage_allowance_used`, and `invalid_credential` when the tenant is
 * deleted.
 */
export async function createExport(op: Operation, input: CreateExportInput): Promise<ExportJob> {
  const artifact = await openArchive(op, input.artifactId)
  await requireAllowance(op, input.limits)
  // The graph of a tabular model computes in float64, whatever the usual way of its format is.
  const quant = artifact.recipeKind === 'tabular' && input.target === 'onnx' ? 'fp64' : input.quant
  const id = newId('exp')
  await op.write(async (tx) => {
    await requireLiveTenant(tx, op.tenantId)
    await lockInTransaction(tx, `exports ${op.tenantId}`)
    const running = await inAllNamespaces(
      tx,
      'the limit is of the whole tenant',
      async () => await countRunning(tx, op),
    )
    const max = input.limits.unfinished_exports_per_tenant
    if (running >= max) {
      throw COMPILE_ERRORS.too_many_running_jobs(`${max} exports are under way already`, {
        details: { running, max },
        retryAfterS: 5,
      })
    }
    const now = op.now()
    tx.em.create(ExportJobEntity, {
      id,
      tenantId: op.tenantId,
      artifactId: artifact.id,
      target: input.target,
      quant,
      part: input.part,
      destination: input.destination,
      state: 'queued',
      createdAt: now,
    })
    await requestStart(tx, Export, {
      exportId: id,
      tenantId: op.tenantId,
      target: input.target,
      quant,
    })
    await recordAudit(tx, op, {
      action: 'export.created',
      target: id,
      payload: { export_id: id, artifact_id: artifact.id, target: input.target, destination: input.destination },
    })
  })
  return await findExport(op, id)
}

/** Counts the tenant's unfinished exports. */
async function countRunning(tx: Transaction, op: Operation): Promise<number> {
  const count = await tx.q
    .selectFrom('exports')
    .select(tx.q.fn.countAll<number>().as('running'))
    .where('tenant_id', '=', op.tenantId)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  return count?.running ?? 0
}
