import { sql, type RawBuilder } from 'kysely'

/** Returns the namespace of a job's spec, by the alias of its row. */
export function specNamespace(job: string): RawBuilder<string | null> {
  return sql<string | null>`${sql.ref(`${job}.spec`)} ->> 'corpus_namespace'`
}
