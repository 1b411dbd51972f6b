import type { Database } from '../../kernel/database.ts'

/** Age at which a lease that its process does not touch any more counts as left by a dead process, milliseconds. */
export const LEASE_DEAD_AFTER_MS = 60_000

/**
 * Gives the unspent units of dead processes back to their tenants. What such a process spent in its last second and
 * had not written down yet is the service's loss, never the tenant's. Answers how many leases it ended; with a tenant,
 * only that tenant's.
 */
export async function reclaimLeases(
  db: Database,
  input: { readonly olderThanMs?: number; readonly tenantId?: string } = {},
): Promise<number> {
  const [row] = await db.query<{ ended: number }>(
    `with dead as (
       delete from quota_leases
       where id in (
         select id from quota_leases where touched_at < now() - make_interval(secs => $1::double precision / 1000)
           and ($2::text is null or tenant_id = $2)
         for update skip locked
       )
       returning tenant_id, period, granted_units - spent_units as unspent
     ), sums as (
       select tenant_id, period, sum(unspent) as unspent from dead group by tenant_id, period
     ), given_back as (
       update quota_periods q set used_units = greatest(q.used_units - sums.unspent, 0)::bigint
       from sums where q.tenant_id = sums.tenant_id and q.period = sums.period
     )
     select count(*) as ended from dead`,
    [input.olderThanMs ?? LEASE_DEAD_AFTER_MS, input.tenantId ?? null],
  )
  return row?.ended ?? 0
}
