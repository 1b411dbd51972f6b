import { sql } from 'kysely'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { boundsOf } from '../../kernel/namespaces/bounds.ts'
import { conceptWithin } from '../../kernel/namespaces/within.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Reader } from '../../kernel/queries/read.ts'

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
