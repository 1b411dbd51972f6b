import { expressionBuilder, sql, type Expression, type SqlBool } from 'kysely'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { boundsOf } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import type { Tables } from '../../schema.ts'

/** Returns a condition for a row of `concepts` all of whose versions the caller sees, since any may be its head. */
export function conceptWithin(op: Pick<Operation, 'scopes'>): Expression<SqlBool> {
  if (boundsOf(op) === null) return sql`true`
  const concept = expressionBuilder<Tables, 'concepts'>()
  return concept('concepts.version_count', '=', (from) =>
    from
      .selectFrom('versions as v')
      .select(from.fn.countAll<number>().as('seen'))
      .whereRef('v.concept_id', '=', 'concepts.id'),
  )
}

/** Throws `not_found` for a concept outside the caller's bounds. */
export async function requireConceptInBounds(
  from: Reader,
  op: Pick<Operation, 'scopes'>,
  conceptId: string,
): Promise<void> {
  if (boundsOf(op) === null) return
  const found = await from.read((q) =>
    q.selectFrom('concepts').select('id').where('id', '=', conceptId).where(conceptWithin(op)),
  )
  if (found.length === 0) throw KERNEL_ERRORS.not_found('no such concept')
}

/** Returns the namespace of a concept's head; null for none. */
export async function namespaceOfConcept(from: Reader, conceptId: string): Promise<string | null> {
  const [head] = await from.read((q) =>
    q
      .selectFrom('concepts as c')
      .innerJoin('versions as v', 'v.id', 'c.head_version_id')
      .innerJoin('compile_jobs as j', 'j.id', 'v.job_id')
      .select(sql<string | null>`j.spec ->> 'corpus_namespace'`.as('namespace'))
      .where('c.id', '=', conceptId),
  )
  return head?.namespace ?? null
}
