import type { ScimKey, ScimWanted } from '../../../core/accounts/scim/directory.ts'
import type { DirectoryDeps } from './directory-deps.ts'

/** Rows of one kind of resource. All but the names of these is SQL of our own. */
export interface ResourceRows {
  readonly table: 'members' | 'teams'
  /** Which of a tenant's rows SCIM sees. */
  readonly where: string
  /** By attribute, what compares it with `$2`. */
  readonly isEqual: Readonly<Partial<Record<ScimKey, string>>>
}

/** The ids of the wanted resources, in the order in which they were made, and how many there are beyond the page. */
export async function selectPage(
  { tx, op }: Pick<DirectoryDeps, 'tx' | 'op'>,
  { equals, page }: ScimWanted,
  { table, where, isEqual }: ResourceRows,
): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
  const comparison = equals === null ? 'true' : (isEqual[equals.attribute] ?? 'false')
  // Without a comparison, or for an attribute that such resources do not have, nothing is compared with $2.
  const from = `from ${table} where tenant_id = $1 and ${where} and ${comparison} and $2::text is not null`
  const values = [op.tenantId, equals?.value ?? '']
  const [counted] = await tx.query<{ total: number }>(`select count(*) as total ${from}`, values)
  const rows = await tx.query<{ id: string }>(`select id ${from} order by created_at, id offset $3 limit $4`, [
    ...values,
    page.skip,
    page.take,
  ])
  return { ids: rows.map(({ id }) => id), total: counted?.total ?? 0 }
}
