import type { Limits } from '../../../core/kernel/limits.ts'
import type { SqlRunner } from '../../kernel/database.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import type { ChargedTo } from '../usage/charged-to.ts'
import { periodOf } from './period.ts'
import { quotaExhausted, returnUnits } from './units.ts'
import { quotaOf, type QuotaTerms } from '../../../core/kernel/tenant/quota-of.ts'

/**
 * Reserves the units of one compile, in one row update, so that any number of callers together get exactly the quota.
 * Throws `quota_exhausted` `{used, quota, resets_at}`; then nothing is taken.
 */
export async function reserveCompile(
  tx: Transaction,
  input: QuotaTerms & {
    readonly tenantId: string
    readonly jobId: string
    readonly chargedTo: ChargedTo
    readonly limits: Limits
    readonly now: Date
  },
): Promise<void> {
  const { tenantId, jobId, chargedTo, now } = input
  const units = input.limits.quota_units_per_compile
  const quota = quotaOf(input, input.limits)
  const reserved = await tx.query(
    `with taken as (
       insert into quota_periods as q (tenant_id, period, used_units)
       select $2, $3, $4::bigint where $4::bigint <= $5::bigint
       on conflict (tenant_id, period) do update set used_units = q.used_units + excluded.used_units
         where q.used_units + excluded.used_units <= $5::bigint
       returning tenant_id, period
     )
     insert into quota_reservations (job_id, tenant_id, period, units, namespace, team_id, member_id, state, created_at)
     select $1, tenant_id, period, $4, $7, $8, $9, 'reserved', $6 from taken returning 1`,
    [jobId, tenantId, periodOf(now), units, quota, now, chargedTo.namespace, chargedTo.teamId, chargedTo.memberId],
  )
  if (reserved.length === 0) throw await quotaExhausted(tx, tenantId, { what: 'a compile', units, quota }, now)
}

/** Keeps the reserved units of a compile that ended well. */
export async function settleCompile(sql: SqlRunner, jobId: string): Promise<void> {
  await sql.query(`update quota_reservations set state = 'settled' where job_id = $1 and state = 'reserved'`, [jobId])
}

/** Gives the reserved units of a compile back that brought nothing, to the month that they were taken from. */
export async function releaseCompile(sql: SqlRunner, jobId: string): Promise<void> {
  const [released] = await sql.query<{ tenant_id: string; period: string; units: number }>(
    `update quota_reservations set state = 'released' where job_id = $1 and state = 'reserved'
     returning tenant_id, period, units`,
    [jobId],
  )
  if (released === undefined) return
  await returnUnits(sql, { tenantId: released.tenant_id, period: released.period }, released.units)
}
