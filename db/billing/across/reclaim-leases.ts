import { sql } from 'kysely'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/** Age at which an untouched lease counts as left by a dead process, milliseconds. */
export const LEASE_DEAD_AFTER_MS = 60_000

/**
 * Returns the uncharged units of dead processes to their tenants. Units that such a process charged in its last second
 * without recording them are the service's loss, never the tenant's. Returns how many leases it ended; with a tenant,
 * only that tenant's.
 */
export async function reclaimLeases(
  db: Database,
  input: { readonly olderThanMs?: number; readonly tenantId?: string } = {},
): Promise<number> {
  const { olderThanMs = LEASE_DEAD_AFTER_MS, tenantId } = input
  const [row] = await service.send(db, 'ends the leases that dead processes hold, of all tenants', (q) =>
    q
      .with('dead', (each) =>
        each
          .deleteFrom('quota_leases')
          .where('id', 'in', (of) =>
            of
              .selectFrom('quota_leases')
              .select('id')
              .where(
                'touched_at',
                '<',
                sql<Date>`now() - make_interval(secs => ${olderThanMs}::double precision / 1000)`,
              )
              .$if(tenantId !== undefined, (all) => all.where('tenant_id', '=', tenantId ?? ''))
              .forUpdate()
              .skipLocked(),
          )
          .returning(['tenant_id', 'period', sql<number>`granted_units - spent_units`.as('unspent')]),
      )
      .with('sums', (each) =>
        each
          .selectFrom('dead')
          .select(['tenant_id', 'period', sql<number>`sum(unspent)`.as('unspent')])
          .groupBy(['tenant_id', 'period']),
      )
      .with('given_back', (each) =>
        each
          .updateTable('quota_periods as q')
          .from('sums')
          .set({ used_units: sql<number>`greatest(q.used_units - sums.unspent, 0)::bigint` })
          .whereRef('q.tenant_id', '=', 'sums.tenant_id')
          .whereRef('q.period', '=', 'sums.period'),
      )
      .selectFrom('dead')
      .select((of) => of.fn.countAll<number>().as('ended')),
  )
  return row?.ended ?? 0
}
