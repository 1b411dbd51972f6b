import type { FitLane } from '../../../core/compile/stages/rentals/lanes.ts'
import type { Quote } from '../../../core/compile/stages/rentals/quote/quote.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { assertUnfinished, lockJob } from '../jobs/lock-job.ts'

/** The machine that a compile is to be fitted on. */
export interface NewRental {
  readonly lane: FitLane
  readonly budgetUsdMicros: number
  readonly rateUsdMicros: number
  readonly quote: Quote
  readonly providerKeyId: string | null
  readonly parametersB: number
  /** The GPU that time is metered by, and their number; null where it is not metered. */
  readonly metered: { readonly gpuSku: string; readonly vramTier: string } | null
  /** Of a fit of a pool: those with a higher one are leased first. */
  readonly priority: number | null
  /** True when sensitive text may leave for the machine. */
  readonly allowsSensitive: boolean
  /** Classes of sensitive text that leave by the caller's word; empty where there are none. */
  readonly sensitiveClasses: readonly string[]
}

/** Stores the rental of a job that is being made, within its transaction. */
export async function insertRental(tx: Transaction, op: Operation, jobId: string, rental: NewRental): Promise<void> {
  await tx.q
    .insertInto('rentals')
    .values({
      job_id: jobId,
      tenant_id: op.tenantId,
      lane: rental.lane,
      budget_usd_micros: rental.budgetUsdMicros,
      rate_usd_micros: rental.rateUsdMicros,
      quote: json(rental.quote),
      provider_key_id: rental.providerKeyId,
      parameters_b: rental.parametersB,
      gpu_sku: rental.metered?.gpuSku ?? null,
      vram_tier: rental.metered?.vramTier ?? null,
      priority: rental.priority,
      allows_sensitive: rental.allowsSensitive,
      cost_usd_micros: 0,
      created_at: op.now(),
    })
    .execute()
  if (rental.sensitiveClasses.length === 0) return
  await recordAudit(tx, op, {
    action: 'rental.sensitive_allowed',
    target: jobId,
    payload: { job_id: jobId, lane: rental.lane, classes: [...rental.sensitiveClasses] },
  })
}

/**
 * Reserves a rental for its fit: the newest checkpoint of an earlier rental of the same rows becomes its own. Safe to
 * repeat. Throws `compile_cancelled` and `already_finished` when the job is over.
 */
export async function reserveRental(
  op: Operation,
  { jobId, fit }: { readonly jobId: string; readonly fit: string },
): Promise<void> {
  await op.write(async (tx) => {
    assertUnfinished(await lockJob(tx, jobId, op.tenantId))
    const reserved = await tx.q
      .updateTable('rentals')
      .set({ fit })
      .where('job_id', '=', jobId)
      .where('tenant_id', '=', op.tenantId)
      .returning('job_id')
      .execute()
    if (reserved.length === 0) throw KERNEL_ERRORS.not_found('the job rents no machine')
    const kept = await tx.q
      .selectFrom('rental_checkpoints')
      .select(['blob_sha256 as blobSha256', 'step'])
      .where('tenant_id', '=', op.tenantId)
      .where('fit', '=', fit)
      .executeTakeFirst()
    if (kept === undefined) return
    await tx.q
      .insertInto('training_records')
      .values({
        job_id: jobId,
        fit,
        role: 'checkpoint',
        tenant_id: op.tenantId,
        blob_sha256: kept.blobSha256,
        facts: json({ step: kept.step }),
        recorded_at: op.now(),
      })
      .onConflict((on) => on.columns(['job_id', 'fit', 'role']).doNothing())
      .execute()
  })
}
