import { sql, type RawBuilder } from 'kysely'
import type { Operation } from '../operation.ts'
import { boundsOf } from './bounds.ts'

/** Condition: a namespace, in a column, is one that the caller's key is bound to. True for a key bound to none. */
export function namespaceWithin(op: Pick<Operation, 'scopes'>, column: string): RawBuilder<boolean> {
  const bounds = boundsOf(op)
  return bounds === null ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = any(${bounds})`
}

/**
 * Condition: a job, by the column with its id, lies in such a namespace, by its spec. An artifact has the id of its job.
 */
export function jobWithin(op: Pick<Operation, 'scopes'>, column: string): RawBuilder<boolean> {
  const bounds = boundsOf(op)
  if (bounds === null) return sql<boolean>`true`
  return sql<boolean>`exists (select 1 from compile_jobs bound where bound.id = ${sql.ref(column)}
    and bound.spec ->> 'corpus_namespace' = any(${bounds}))`
}
