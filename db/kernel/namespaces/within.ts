import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Operation } from '../operation.ts'
import { boundsOf } from './bounds.ts'

/** The caller, or the namespaces that its key is bound to. */
type Caller = Pick<Operation, 'scopes'> | { readonly bounds: readonly string[] | null }

function namespacesOf(caller: Caller): readonly string[] | null {
  return 'bounds' in caller ? caller.bounds : boundsOf(caller)
}

const ALL = sql<SqlBool>`true`

/** The namespace of a job's spec, by the alias of its row. */
export function specNamespace(job: string): RawBuilder<string | null> {
  return sql<string | null>`${sql.ref(`${job}.spec`)} ->> 'corpus_namespace'`
}

/** True for a namespace, in a column, that is one of the caller's. */
export function namespaceWithin(op: Caller, column: string): RawBuilder<SqlBool> {
  const bounds = namespacesOf(op)
  return bounds === null ? ALL : sql`${sql.ref(column)} = any(${bounds}::text[])`
}

/** True for a caller who sees all namespaces, for what lies in none. */
export function whereAllAreSeen(op: Caller): RawBuilder<SqlBool> {
  return sql`${sql.raw(String(namespacesOf(op) === null))}`
}

/** True for a job within the caller's namespaces, by the alias of its row: it lies in the namespace of its spec. */
export function specWithin(op: Caller, job: string): RawBuilder<SqlBool> {
  const bounds = namespacesOf(op)
  if (bounds === null) return ALL
  return sql`${specNamespace(job)} = any(${bounds}::text[])`
}

/** True for what a job within the caller's namespaces made, by the column that holds the job's id. */
export function jobWithin(op: Caller, jobId: string): RawBuilder<SqlBool> {
  if (namespacesOf(op) === null) return ALL
  return sql`exists (
    select 1 from compile_jobs bound where bound.id = ${sql.ref(jobId)} and ${specWithin(op, 'bound')})`
}

/**
 * True for a concept within the caller's namespaces, by the column that holds its id: all of its versions must lie within,
 * since any may be its head.
 */
export function conceptWithin(op: Caller, conceptId: string): RawBuilder<SqlBool> {
  if (namespacesOf(op) === null) return ALL
  return sql`not exists (
    select 1 from versions v join compile_jobs made on made.id = v.job_id
    where v.concept_id = ${sql.ref(conceptId)} and (${specWithin(op, 'made')}) is not true)`
}
