import { sql } from 'kysely'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/** Tenants that are looked up at once. */
const BATCH = 200

/** Lists tenants, in the order of their ids, with captures to observe or figures to look at. Throws `store_unavailable`. */
export async function dueTenants(
  db: Database,
  { after, now }: { readonly after: string; readonly now: Date },
): Promise<readonly string[]> {
  const rows = await service.read(db, 'finds the tenants whose traffic is to be observed', (q) =>
    q
      .selectFrom('tenants as t')
      .leftJoin('capture_heads as h', 'h.tenant_id', 't.id')
      .leftJoin('traffic_cursors as k', 'k.tenant_id', 't.id')
      .select('t.id')
      .where('t.id', '>', after)
      .where('t.purged_at', 'is', null)
      .where((of) =>
        of.or([
          sql<boolean>`h.position > coalesce(k.position, 0)`,
          of('k.look_at', '<=', now),
          of.exists(
            of
              .selectFrom('capture_certificates as f')
              .select('f.id')
              .whereRef('f.tenant_id', '=', 'k.tenant_id')
              .whereRef('f.forgotten_at', '>=', 'k.visited_at'),
          ),
        ]),
      )
      .orderBy('t.id')
      .limit(BATCH),
  )
  return rows.map(({ id }) => id)
}
