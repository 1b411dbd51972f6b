import type pg from 'pg'
import type { AnyTable, Privilege } from '../tables/define-table.ts'
import { TENANT_ROLE } from './tenant-role.ts'

/** Every statement on the rows of its own tenant. */
export const PRIVILEGES: readonly Privilege[] = ['select', 'insert', 'update', 'delete']

/**
 * Derives the rights of the tenants' role on a table from its facts: policies bound the rest to the tenant's own rows.
 */
export function privilegesOn({ facts }: Pick<AnyTable, 'facts'>): readonly Privilege[] {
  return typeof facts.tenant === 'object' ? (facts.tenant.grants ?? []) : PRIVILEGES
}

/**
 * Grants the role of tenants the rights in the facts of the tables, and revokes all others. Part of bringing the schema
 * up to date, one process at a time; without a difference it changes nothing. A
 * table whose migration is still to be written is left out.
 */
export async function grantToTenants(client: pg.ClientBase, tables: readonly AnyTable[]): Promise<void> {
  const { rows } = await client.query<{ table: string; privilege: Privilege; isHeld: boolean }>(
    `select t as "table", p as privilege, has_table_privilege($3, quote_ident(t), p) as "isHeld"
     from unnest($1::text[]) t, unnest($2::text[]) p
     where to_regclass(quote_ident(t)) is not null`,
    [tables.map(({ tableName }) => tableName), PRIVILEGES, TENANT_ROLE],
  )
  const wanted = new Map(tables.map((table) => [table.tableName, new Set(privilegesOn(table))]))
  const statements = rows.flatMap(({ table, privilege, isHeld }) => {
    if ((wanted.get(table)?.has(privilege) ?? false) === isHeld) return []
    return [
      isHeld
        ? `revoke ${privilege} on ${table} from ${TENANT_ROLE}`
        : `grant ${privilege} on ${table} to ${TENANT_ROLE}`,
    ]
  })
  if (statements.length === 0) return
  await client.query(
    [
      'begin',
      `grant usage on schema public to ${TENANT_ROLE}`,
      `grant usage on all sequences in schema public to ${TENANT_ROLE}`,
      ...statements,
      'commit',
    ].join(';\n'),
  )
}
