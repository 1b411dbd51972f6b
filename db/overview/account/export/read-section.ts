import type { SqlRunner } from '../../../kernel/database.ts'
import type { ExportSection } from './sections.ts'

/** Rows that are read at once. */
const BATCH = 100

type ExportedRow = Readonly<Record<string, unknown>>

type Source = Pick<ExportSection, 'table' | 'columns' | 'key' | 'computed'>

/** The rows of a section in the order of its key, page after page; a page is never empty. */
export async function* readSection(
  sql: SqlRunner,
  tenantId: string,
  section: ExportSection,
): AsyncGenerator<readonly ExportedRow[]> {
  const { of: parents, key } = section
  if (parents === undefined) {
    yield* readPages(sql, section, 'tenant_id = $1', tenantId)
    return
  }
  const source = { table: parents, columns: ['id'], key: ['created_at', 'id'], computed: {} }
  for await (const rows of readPages(sql, source, 'tenant_id = $1', tenantId)) {
    const ids = rows.map(({ id }) => id)
    yield* readPages(sql, section, `${key[0]} = any($1)`, ids)
  }
}

async function* readPages(
  sql: SqlRunner,
  { table, columns, key, computed }: Source,
  condition: string,
  owner: unknown,
): AsyncGenerator<readonly ExportedRow[]> {
  const selected = [
    ...columns,
    ...Object.entries(computed).map(([name, expression]) => `${expression} as ${name}`),
    ...key.map((column, i) => `${column} as "_key${i}"`),
  ].join(', ')
  const order = key.join(', ')
  const marks = key.map((_, i) => `$${i + 2}`).join(', ')
  for (let after: readonly unknown[] | undefined; ;) {
    const rows = await sql.query<Record<string, unknown>>(
      `select ${selected} from ${table} where ${condition} ${after === undefined ? '' : `and (${order}) > (${marks})`}
       order by ${order} limit ${BATCH}`,
      [owner, ...(after ?? [])],
    )
    const last = rows.at(-1)
    if (last === undefined) return
    after = key.map((_, i) => last[`_key${i}`])
    yield rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith('_key'))))
    if (rows.length < BATCH) return
  }
}
