import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Operation } from '../operation.ts'
import { boundsOf } from './bounds.ts'

// Policies keep a key within its namespaces (the fact `namespace` of tables). These conditions cover the cases outside
// the policies.

type Caller = Pick<Operation, 'scopes'>

/** Returns a condition for a namespace, in a column of a table without the policy, that is one of the caller's. */
export function namespaceWithin(op: Caller, column: string): RawBuilder<SqlBool> {
  const bounds = boundsOf(op)
  return bounds === null ? sql`true` : sql`${sql.ref(column)} = any(${bounds}::text[])`
}

/** Returns a condition that is true for rows without a namespace when the caller sees all namespaces. */
export function whereAllAreSeen(op: Caller): RawBuilder<SqlBool> {
  return sql`${sql.raw(String(boundsOf(op) === null))}`
}
