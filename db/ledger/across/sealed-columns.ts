import { columnOf, type AnyTable } from '../../kernel/tables/define-table.ts'
import type { SecretScope } from '../../kernel/secrets/secret-box.ts'
import { TABLES } from '../../schema.ts'

/** A column of sealed secrets: its table, and the context that each of them is bound to. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** SQL of the one text that names the row. */
  readonly key: string
  /** SQL of the owner that the seal names. */
  readonly owner: string
  /** SQL of the id that the seal names. */
  readonly id: string
  /** SQL of the purpose that the seal names. */
  readonly purpose: string
  /** True when its rows expire within a day: they are not sealed again, the old key stays until then. */
  readonly isPassing: boolean
}

/** Lists every column of sealed secrets, by the facts of the tables. */
export const SEALED_COLUMNS: readonly SealedColumn[] = TABLES.flatMap(({ tableName: table, facts }: AnyTable) =>
  Object.entries(facts.sealed ?? {}).flatMap(([property, fact]) => {
    if (fact === undefined) return []
    const { purpose, owner, key = 'id', id = key, isPassing = false } = fact
    const ownerSql = owner === 'service' ? `'service'` : `coalesce(tenant_id, 'service')`
    return [{ table, column: columnOf(property), key, owner: ownerSql, id, purpose, isPassing }]
  }),
)

/** One sealed secret, as a column's SQL reads it. */
export interface SealedRow extends SecretScope {
  readonly key: string
  readonly sealed: Uint8Array
}
