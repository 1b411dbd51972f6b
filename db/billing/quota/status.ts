import type { Limits } from '../../../core/billing/limits.ts'
import type { Operation } from '../../kernel/operation.ts'
import { resetsAt } from '../../../core/kernel/tenant/quota-month.ts'
import { periodOf } from './period.ts'
import { quotaExhausted, usedUnits } from './units.ts'
import { quotaOf, type QuotaTerms } from '../../../core/kernel/tenant/quota-of.ts'

/** State of a tenant's quota, in units of the current calendar month (UTC). */
export interface QuotaStatus {
  readonly used: number
  readonly quota: number
  readonly remaining: number
  readonly resetsAt: Date
}

/** Throws `quota_exhausted` when too few units remain for a compile, before its body is read. Takes no units. */
export async function requireCompileUnits(
  op: Operation,
  input: QuotaTerms & { readonly limits: Limits },
): Promise<void> {
  const { remaining, quota } = await quotaStatus(op, input)
  const units = input.limits.quota_units_per_compile
  if (remaining < units) throw await quotaExhausted(op, op.tenantId, { what: 'a compile', units, quota }, op.now())
}

/** Returns the state of the tenant's quota; calls of the last second may be missing from `used`. */
export async function quotaStatus(
  op: Operation,
  input: QuotaTerms & { readonly limits: Limits },
): Promise<QuotaStatus> {
  const now = op.now()
  const quota = quotaOf(input, input.limits)
  const used = await usedUnits(op, { tenantId: op.tenantId, period: periodOf(now) })
  return { used, quota, remaining: Math.max(quota - used, 0), resetsAt: resetsAt(now) }
}
