import type { Limits } from '../../core/tenancy/limits.ts'
import type { Operation } from '../operation.ts'
import { periodOf, resetsAt } from './period.ts'
import { quotaOf, usedUnits, type QuotaTerms } from './units.ts'

/** Where a tenant's quota stands, in units of the current calendar month (UTC). */
export interface QuotaStatus {
  readonly used: number
  readonly quota: number
  readonly remaining: number
  readonly resetsAt: Date
}

/** Where the tenant's quota stands; calls of the last second may be missing from `used`. */
export async function quotaStatus(
  op: Operation,
  input: QuotaTerms & { readonly limits: Limits },
): Promise<QuotaStatus> {
  const now = op.now()
  const quota = quotaOf(input, input.limits)
  const used = await usedUnits(op.db, { tenantId: op.tenantId, period: periodOf(now) })
  return { used, quota, remaining: Math.max(quota - used, 0), resetsAt: resetsAt(now) }
}
