import type { Database } from '../database.ts'
import { service } from '../queries/service.ts'

/** Requests of a family that no reconciler claims. */
export interface Unclaimed {
  readonly family: string
  readonly requests: number
}

/**
 * Counts the requests, due since before `dueBefore`, of families other than `families`, by family: another version of
 * the service wrote them.
 */
export async function countUnclaimed(
  db: Database,
  { families, dueBefore }: { readonly families: readonly string[]; readonly dueBefore: Date },
): Promise<readonly Unclaimed[]> {
  return await service.read(db, 'one outbox starts the workflows of all tenants', (q) =>
    q
      .selectFrom('outbox')
      .select(['family', q.fn.countAll<number>().as('requests')])
      .where('family', 'not in', families)
      .where('due_at', '<', dueBefore)
      .groupBy('family')
      .orderBy('family'),
  )
}
