import { sql, type RawBuilder } from 'kysely'
import type { ScimKey, ScimWanted } from '../../../core/accounts/scim/directory.ts'
import type { DirectoryDeps } from './directory-deps.ts'

/** Rows of one kind of resource. */
export interface ResourceRows {
  readonly table: 'members' | 'teams'
  /** Filter for the rows of a tenant that SCIM sees. */
  readonly where: RawBuilder<boolean>
  /** Comparison with a value, by attribute. */
  readonly isEqual: Readonly<Partial<Record<ScimKey, (value: string) => RawBuilder<boolean>>>>
}

/** Returns the ids of a page in order of creation, and the total count. */
export async function selectPage(
  { tx, op }: Pick<DirectoryDeps, 'tx' | 'op'>,
  { equals, page }: ScimWanted,
  { table, where, isEqual }: ResourceRows,
): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
  // Such resources lack some attributes: a missing one equals nothing.
  const comparison =
    equals === null ? sql<boolean>`true` : (isEqual[equals.attribute]?.(equals.value) ?? sql<boolean>`false`)
  const [[counted], rows] = await tx.read((q) => {
    const wanted = q.selectFrom(table).where('tenant_id', '=', op.tenantId).where(where).where(comparison)
    return [
      wanted.select(q.fn.countAll<number>().as('total')),
      wanted.select('id').orderBy('created_at').orderBy('id').offset(page.skip).limit(page.take),
    ]
  })
  return { ids: rows.map(({ id }) => id), total: counted?.total ?? 0 }
}
