import { sql } from 'kysely'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/** Age at which an untouched reservation counts as left by a dead process, milliseconds. */
const DEAD_AFTER_MS = 90_000

/**
 * Charges the budgets what calls of dead processes reserved: the calls may have been sent, and their cost is not known.
 * Returns the number of these calls.
 */
export async function chargeAbandoned(db: Database): Promise<number> {
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
      .with('charged', (each) =>
        each
          .updateTable('budget_periods as b')
          .from('sums')
          .set({
            reserved_micros: sql<number>`greatest(b.reserved_micros - sums.micros, 0)::bigint`,
            spent_micros: sql<number>`(b.spent_micros + sums.micros)::bigint`,
          })
          .whereRef('b.tenant_id', '=', 'sums.tenant_id')
          .whereRef('b.namespace', '=', 'sums.namespace')
          .whereRef('b.period', '=', 'sums.period'),
      )
      .selectFrom('dead')
      .select((of) => of.fn.countAll<number>().as('ended')),
  )
  return row?.ended ?? 0
}
