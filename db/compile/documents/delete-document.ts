import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'

/** Deletes a document with its chunks. Throws `not_found`, also for another tenant's. */
export async function deleteDocument(op: Operation, documentId: string): Promise<void> {
  requireScope(op, 'documents:write')
  await op.write(async (tx) => {
    const [gone] = await tx.q
      .deleteFrom('documents')
      .where('id', '=', documentId)
      .where('tenant_id', '=', op.tenantId)
      .returning(['namespace'])
      .execute()
    if (gone === undefined) throw KERNEL_ERRORS.not_found('no such document')
    await recordAudit(tx, op, {
      action: 'document.deleted',
      target: documentId,
      payload: { document_id: documentId, namespace: gone.namespace },
    })
  })
}
