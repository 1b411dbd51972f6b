import { DomainError } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { boundsOf, conceptInBounds } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { inTransaction } from '../../kernel/transaction.ts'

/**
 * Deletes a concept and its versions: they run and show no more, on every process at once. Artifacts that were issued
 * stay, so that they can still be verified. Answers how many concepts and versions it was. Throws `not_found`.
 */
export async function deleteConcept(
  op: Operation,
  input: { readonly conceptId: string },
): Promise<{ readonly deleted: number }> {
  return await inTransaction(op.db, op.tenantId, async (tx) => {
    const now = op.now()
    const concepts = await tx.query(
      `update concepts set deleted_at = $3, updated_at = $3 where id = $1 and tenant_id = $2 and deleted_at is null
         and ${conceptInBounds('concepts.id', 4)}
       returning pg_notify('svc_concepts', id)`,
      [input.conceptId, op.tenantId, now, boundsOf(op)],
    )
    if (concepts.length === 0) throw new DomainError('not_found', 'no such concept')
    const versions = await tx.query(
      'update versions set deleted_at = $2 where concept_id = $1 and deleted_at is null returning 1',
      [input.conceptId, now],
    )
    await recordAudit(tx, op, {
      action: 'concept.deleted',
      target: input.conceptId,
      payload: { versions: versions.length },
    })
    return { deleted: concepts.length + versions.length }
  })
}
