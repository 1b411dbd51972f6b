import { sql } from 'kysely'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'

/** Tells that the calls of these reservations are still under way, one statement for all. */
export async function touchReservations(db: Database, ids: readonly string[]): Promise<void> {
  const live = unnest('l', { id: list('uuid', ids) })
  await service.send(db, 'a process holds reservations of many tenants', (q) =>
    q
      .updateTable('budget_reservations')
      .from(live)
      .set({ touched_at: sql<Date>`now()` })
      .whereRef('budget_reservations.id', '=', 'l.id'),
  )
}
