import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely'

/** Returns the number of rows of a query, as a value for another query. */
export function countRows<DB, TB extends keyof DB, O>(rows: SelectQueryBuilder<DB, TB, O>): RawBuilder<number> {
  return sql<number>`${rows.clearSelect().select(sql<number>`count(*)`.as('count'))}`
}
