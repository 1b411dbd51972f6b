import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { conceptWithin } from './concept-bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { notify } from '../../kernel/queries/typed.ts'

/**
 * Deletes a concept and its versions: they no longer run or appear, on every process at once. Issued artifacts stay, so
 * that they can still be verified. Returns the number of concepts and versions. Throws `not_found`.
 */
export async function deleteConcept(
  op: Operation,
  input: { readonly conceptId: string },
): Promise<{ readonly deleted: number }> {
  return await op.write(async (tx) => {
    const now = op.now()
    const concepts = await tx.q
      .updateTable('concepts')
      .set({ deleted_at: now, updated_at: now })
      .where('id', '=', input.conceptId)
      .where('tenant_id', '=', op.tenantId)
      .where('deleted_at', 'is', null)
      .where(conceptWithin(op))
      .returning((of) => notify('svc_concepts', of.ref('id')).as('notified'))
      .execute()
    if (concepts.length === 0) throw KERNEL_ERRORS.not_found('no such concept')
    const versions = await tx.q
      .updateTable('versions')
      .set({ deleted_at: now })
      .where('concept_id', '=', input.conceptId)
      .where('deleted_at', 'is', null)
      .returning('id')
      .execute()
    await recordAudit(tx, op, {
      action: 'concept.deleted',
      target: input.conceptId,
      payload: { versions: versions.length },
    })
    return { deleted: concepts.length + versions.length }
  })
}
