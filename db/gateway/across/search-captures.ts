import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/**
 * Finds captures of a tenant by a pattern, newest first: by the index of trigrams, and one after another where it has
 * not reached yet. Returns their ids, which the caller reads under the tenant's policies. Beside those policies, since
 * Postgres uses no index for `ilike` below them.
 */
export async function findByText(
  db: Database,
  search: {
    readonly tenantId: string
    /** The namespaces of the caller's key; null for all. */
    readonly bounds: readonly string[] | null
    /** On the rows `c` of `captures`. */
    readonly conditions: RawBuilder<SqlBool>
    readonly before: string
    readonly pattern: string
    readonly most: number
  },
): Promise<readonly string[]> {
  const { tenantId, bounds, conditions, before, pattern, most } = search
  const isBound = bounds === null ? sql<boolean>`true` : sql<boolean>`c.namespace = any(${[...bounds]}::text[])`
  const [head] = await service.read(db, 'the index of trigrams is filled for all tenants', (q) =>
    q.selectFrom('capture_heads').select('indexed').where('tenant_id', '=', tenantId),
  )
  // A value and not a join: only so does the planner know that few captures are behind it.
  const indexed = head?.indexed ?? 0
  const rows = await service.read(db, 'the index of trigrams is not used below row-level policies', (q) =>
    q
      .with(
        (name) => name('indexed').materialized(),
        (of) =>
          of
            .selectFrom('capture_texts')
            .select('id')
            .where(sql<boolean>`text ilike ${pattern}`)
            .where('tenant_id', '=', tenantId)
            .where('id', '<', before),
      )
      .with(
        (name) => name('hits').materialized(),
        (of) =>
          of
            .selectFrom('indexed')
            .select('id')
            .union(
              of
                .selectFrom('captures as n')
                .innerJoinLateral(
                  (x) =>
                    x
                      .selectFrom('capture_contents')
                      .select(['prompt', 'response'])
                      .whereRef('id', '=', 'n.id')
                      // Keeps the planner from reading all contents instead.
                      .offset(0)
                      .as('x'),
                  (join) => join.onTrue(),
                )
                .select('n.id')
                .where('n.tenant_id', '=', tenantId)
                .where('n.position', '>', indexed)
                .where('n.id', '<', before)
                .where(sql<boolean>`(x.prompt ilike ${pattern} or x.response ilike ${pattern})`),
            ),
      )
      .selectFrom('hits')
      .innerJoin('captures as c', 'c.id', 'hits.id')
      .select('c.id')
      .where(conditions)
      .where(isBound)
      .orderBy('c.id', 'desc')
      .limit(most),
  )
  return rows.map(({ id }) => id)
}
