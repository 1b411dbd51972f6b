import { columnOf, type AnyTable, type ExportFact } from '../../../kernel/tables/define-table.ts'
import { TABLES } from '../../../schema.ts'

/** One list of an export: its rows of a tenant, and their exported columns. */
export interface ExportSection {
  /** Name of the list. */
  readonly name: string
  readonly table: string
  /** The exported columns. */
  readonly columns: readonly string[]
  /** The columns that order and page the rows: unique in a tenant, and the order of an index. */
  readonly key: readonly string[]
  /** Further fields, by name, as SQL expressions over the row. */
  readonly computed: Readonly<Record<string, string>>
}

const BY_TIME = ['createdAt', 'id']

/** Lists all sections of an export, by the facts of the tables, in their order. */
export const EXPORT_SECTIONS: readonly ExportSection[] = TABLES.flatMap((table: AnyTable) => {
  const { facts } = table
  if (!('export' in facts) || !('section' in facts.export)) return []
  const { section: name, computed = {}, key = BY_TIME } = facts.export
  return [{ name, table: table.tableName, columns: exportedColumns(facts.export), key: key.map(columnOf), computed }]
})

/** Returns the exported columns of the tenant's own row. */
export const TENANT_COLUMNS: readonly string[] = TABLES.flatMap(({ facts }: AnyTable) =>
  facts.tenant === 'itself' ? exportedColumns(facts.export) : [],
)

function exportedColumns({ columns }: Pick<ExportFact<string>, 'columns'>): readonly string[] {
  return Object.entries(columns).flatMap(([property, reason]) => (reason === true ? [columnOf(property)] : []))
}
