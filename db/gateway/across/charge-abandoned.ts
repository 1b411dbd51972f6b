import { sql } from 'kysely'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/** Age at which an untouched reservation counts as left by a dead process, milliseconds. */
const DEAD_AFTER_MS = 90_000

/**
 * Releases what calls of dead processes reserved. What such a call cost is lost to the budget. Returns how many it
 * released; with a tenant, only that tenant's.
 */
export async function reclaimReservations(db: Database, input: { readonly tenantId?: string } = {}): Promise<number> {
  const { tenantId } = input
  const [row] = await service.send(db, 'ends the reservations of dead processes, of all tenants', (q) =>
    q
      .with('dead', (each) =>
        each
          .deleteFrom('budget_reservations')
          .where('id', 'in', (of) =>
            of
              .selectFrom('budget_reservations')
              .select('id')
              .where(
                'touched_at',
                '<',
                sql<Date>`now() - make_interval(secs => ${DEAD_AFTER_MS}::double precision / 1000)`,
              )
              .$if(tenantId !== undefined, (all) => all.where('tenant_id', '=', tenantId ?? ''))
              .forUpdate()
              .skipLocked(),
          )
          .returning(['tenant_id', 'namespace', 'period', 'micros']),
      )
      .with('sums', (each) =>
        each
          .selectFrom('dead')
          .select(['tenant_id', 'namespace', 'period', sql<number>`sum(micros)`.as('micros')])
          .groupBy(['tenant_id', 'namespace', 'period']),
      )
      .with('released', (each) =>
        each
          .updateTable('budget_periods as b')
          .from('sums')
          .set({ reserved_micros: sql<number>`greatest(b.reserved_micros - sums.micros, 0)::bigint` })
          .whereRef('b.tenant_id', '=', 'sums.tenant_id')
          .whereRef('b.namespace', '=', 'sums.namespace')
          .whereRef('b.period', '=', 'sums.period'),
      )
      .selectFrom('dead')
      .select((of) => of.fn.countAll<number>().as('ended')),
  )
  return row?.ended ?? 0
}
