import type { Operation } from '../../../kernel/operation.ts'
import type { Reader } from '../../../kernel/queries/read.ts'
import { raw } from '../../../kernel/queries/typed.ts'
import type { ExportSection } from './sections.ts'

/** Page size. */
const BATCH = 100

type ExportedRow = Readonly<Record<string, unknown>>

/** Yields the rows of a section in the order of its key, page by page; a page is never empty. */
export async function* readSection(
  op: Pick<Operation, 'tenantId'> & Reader,
  { table, columns, key, computed }: ExportSection,
): AsyncGenerator<readonly ExportedRow[]> {
  const selected = [
    ...columns,
    ...Object.entries(computed).map(([name, expression]) => `${expression} as ${name}`),
    ...key.map((column, i) => `${column} as "_key${i}"`),
  ].join(', ')
  const order = key.join(', ')
  const marks = key.map((_, i) => `$${i + 2}`).join(', ')
  for (let after: readonly unknown[] | undefined; ;) {
    const statement = raw<Record<string, unknown>>(
      `select ${selected} from ${table} where tenant_id = $1 ${after === undefined ? '' : `and (${order}) > (${marks})`}
       order by ${order} limit ${BATCH}`,
      [op.tenantId, ...(after ?? [])],
    )
    const rows = await op.read(() => statement)
    const last = rows.at(-1)
    if (last === undefined) return
    after = key.map((_, i) => last[`_key${i}`])
    yield rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith('_key'))))
    if (rows.length < BATCH) return
  }
}
