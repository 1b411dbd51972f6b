import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import { computeDayOf, nextComputeDay } from './compute-day.ts'
import type { ComputeOwner } from './compute-share.ts'
import { sql } from 'kysely'
import { prepared } from '../../kernel/queries/compiled.ts'
import type { Reader } from '../../kernel/queries/read.ts'

/** Seconds of unpaid compute that a tenant gets in one UTC day. */
export function unpaidAllowanceS({ kind, plan }: Omit<ComputeOwner, 'tenantId'>, limits: Limits): number {
  return kind === 'anonymous' ? limits.unpaid_compute_s_day_anonymous : limits[`unpaid_compute_s_day_${plan}`]
}

/** Returns the query of a tenant's unpaid compute of a day. */
export const usedCompute = prepared((q, key: { readonly tenantId: string; readonly day: string }) =>
  q
    .selectFrom('tenants as t')
    .select((of) => {
      const ended = of
        .selectFrom('unpaid_compute')
        .select('used_ms')
        .whereRef('tenant_id', '=', 't.id')
        .where('day', '=', key.day)
      const running = of
        .selectFrom('compile_jobs')
        .select(sql<number>`sum(compute_ms)`.as('used_ms'))
        .whereRef('tenant_id', '=', 't.id')
        .where('admitted_at', 'is not', null)
        .where('finished_at', 'is', null)
      return ['t.kind', 't.plan', sql<number>`(coalesce(${ended}, 0) + coalesce(${running}, 0))::bigint`.as('usedMs')]
    })
    .where('t.id', '=', key.tenantId),
)

/**
 * Throws `compute_exhausted` `{used_seconds, limit_seconds, resets_at}` when a tenant has used its unpaid compute of
 * the day. Jobs that have not ended count as unpaid until they end with an artifact, so concurrent jobs pass the limit
 * by at most their use between two checks.
 */
export async function requireCompute(
  from: Reader,
  { tenantId, limits, now }: { readonly tenantId: string; readonly limits: Limits; readonly now: Date },
): Promise<void> {
  const [used] = await from.read(() => usedCompute({ tenantId, day: computeDayOf(now) }))
  checkCompute(used, { limits, now })
}

/** Unpaid compute of a tenant, as `usedCompute` reads it. */
interface UsedCompute extends Omit<ComputeOwner, 'tenantId'> {
  readonly usedMs: number
}

/** Throws as `requireCompute` for compute that was read before. */
export function checkCompute(
  tenant: UsedCompute | undefined,
  { limits, now }: { readonly limits: Limits; readonly now: Date },
): void {
  if (tenant === undefined) return
  const { usedMs } = tenant
  const limitS = unpaidAllowanceS(tenant, limits)
  if (usedMs < limitS * 1000) return
  const resetsAt = nextComputeDay(now)
  const used = Math.round(usedMs / 1000)
  throw COMPILE_ERRORS.compute_exhausted(
    `Work that no unit pays for may use ${limitS} s of compute a day, and it has used ${used} s: compiles without an artifact, evaluations and bake-offs of base models and adapters, and measurements. Try again after ${resetsAt.toISOString()}.`,
    {
      details: { used_seconds: used, limit_seconds: limitS, resets_at: resetsAt.toISOString() },
      retryAfterS: Math.max(1, Math.ceil((resetsAt.getTime() - now.getTime()) / 1000)),
    },
  )
}
