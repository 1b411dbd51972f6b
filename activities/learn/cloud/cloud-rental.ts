import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { findSensitiveRows, sensitiveRefused } from '../../../core/compile/rows/sensitive-rows.ts'
import { DEFAULT_BASE, LoraOptions } from '../../../core/compile/stages/lora/lora-options.ts'
import { CLOUD_DISTILL_FIELDS } from '../../../core/compile/stages/rentals/body-fields.ts'
import { measureFit, readQuotedBase, type QuotedRows } from '../../../core/compile/stages/rentals/quote/measure-fit.ts'
import { quote } from '../../../core/compile/stages/rentals/quote/quote.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { laneOfPlan, priorityOf } from '../../../core/learn/distill/cloud/priority.ts'
import type { DistillRequest } from '../../../core/learn/distill/request.ts'
import { findBase } from '../../../core/model/files/find-base.ts'
import { measuredSpeed } from '../../../db/compile/across/rentals/open-rentals.ts'
import type { NewRental } from '../../../db/compile/rentals/begin-rental.ts'
import type { Database } from '../../../db/kernel/database.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { machinesOfJob } from '../../../db/learn/cloud/machines-of-job.ts'

/** The distillation of a cloud job that is about to train. */
export interface CloudFit {
  readonly request: Extract<DistillRequest, { kind: 'cloud' }>
  readonly plan: PlanId
  readonly rows: QuotedRows
}

/**
 * Returns the order of the machines of a cloud job for these rows. Throws `privacy_requires_byoc` for sensitive text that may not
 * leave for a rented machine, and `budget_below_quote`.
 */
export async function cloudRental(
  deps: { readonly db: Database; readonly baseFolders: readonly string[] },
  op: Operation,
  { request, plan, rows }: CloudFit,
): Promise<NewRental> {
  const job = await machinesOfJob(op, request.cloud_job_id)
  const { lane, rateUsdMicros, budgetUsdMicros, gpuSku, vramTier } = job
  const sensitive = lane === 'pool' ? null : await findSensitiveRows(rows.read(), request.task)
  if (sensitive !== null && sensitive.classes.length > 0 && !job.allowsSensitive) {
    throw sensitiveRefused(sensitive, CLOUD_DISTILL_FIELDS, 'use a pool of your own, or set allow_sensitive')
  }
  const base = await readQuotedBase(await findBase(request.base_model ?? DEFAULT_BASE, deps.baseFolders))
  const { parametersB } = base
  const quoted = quote({
    lane,
    usdPerHour: rateUsdMicros / 1_000_000,
    size: await measureFit(rows, base, LoraOptions.parse(request.lora).epochs),
    parametersB,
    // Pools of others have other machines.
    measured: lane === 'pool' ? undefined : await measuredSpeed(deps.db, { lane, parametersB }),
  })
  const budgetUsd = budgetUsdMicros / 1_000_000
  if (quoted.usd.expected > budgetUsd) {
    throw COMPILE_ERRORS.budget_below_quote(
      `budget_usd: ${budgetUsd} is below the quote of ${quoted.usd.expected} US dollars; raise it, or take a shorter capture_window`,
      {
        details: {
          budget_usd: budgetUsd,
          quote_usd: quoted.usd.expected,
          fields: [{ field: 'budget_usd', message: `is below the quote of ${quoted.usd.expected} US dollars` }],
        },
      },
    )
  }
  return {
    lane,
    budgetUsdMicros,
    rateUsdMicros,
    quote: quoted,
    providerKeyId: job.providerKeyId,
    parametersB,
    metered: { gpuSku, vramTier },
    priority: lane === 'pool' ? priorityOf(laneOfPlan(plan)) : null,
    allowsSensitive: job.allowsSensitive,
    sensitiveClasses: sensitive?.classes ?? [],
  }
}
