import { sql, type RawBuilder } from 'kysely'
import type { ScimKey, ScimWanted } from '../../../core/accounts/scim/directory.ts'
import type { DirectoryDeps } from './directory-deps.ts'

/** Rows of one kind of resource. */
export interface ResourceRows {
  readonly table: 'members' | 'teams'
  /** Which of a tenant's rows SCIM sees. */
  readonly where: RawBuilder<boolean>
  /** By attribute, what compares it with a value. */
  readonly isEqual: Readonly<Partial<Record<ScimKey, (value: string) => RawBuilder<boolean>>>>
}

/** The ids of the wanted resources, in the order in which they were made, and how many there are beyond the page. */
export async function selectPage(
  { tx, op }: Pick<DirectoryDeps, 'tx' | 'op'>,
  { equals, page }: ScimWanted,
  { table, where, isEqual }: ResourceRows,
): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
  // Such resources do not have every attribute: without it, none is equal.
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
