import { referencesOf, type AnyTable } from '../../../kernel/tables/define-table.ts'
import { TABLES } from '../../../schema.ts'

/** A table whose rows are removed, and the condition that finds those of the tenant `$1`. */
export interface Removal {
  readonly table: string
  readonly where: string
}

const OWNED = 'tenant_id = $1'

/** Lists the rows of a deleted tenant to remove, by the facts of the tables, in an order that foreign keys allow. */
export const REMOVALS: readonly Removal[] = orderByReferences<AnyTable>(TABLES).flatMap((table) => {
  const { facts, tableName } = table
  if (!('purge' in facts)) return []
  const { purge } = facts
  if (purge === 'goes') return [{ table: tableName, where: OWNED }]
  return 'goes' in purge ? [{ table: tableName, where: `${OWNED} and ${purge.goes}` }] : []
})

/** Orders the tables so that each one precedes those that its foreign keys name. Throws for a circle. */
function orderByReferences<T extends AnyTable>(tables: readonly T[]): readonly T[] {
  const left = new Set(tables)
  const ordered: T[] = []
  while (left.size > 0) {
    const named = new Set([...left].flatMap((table) => referencesOf(table)))
    const free = [...left].filter(({ tableName }) => !named.has(tableName))
    if (free.length === 0) throw new Error(`tables refer to one another: ${[...named].join(', ')}`)
    for (const table of free) {
      left.delete(table)
      ordered.push(table)
    }
  }
  return ordered
}
