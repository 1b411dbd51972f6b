import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'

/** Ends a link at once. Repeating it changes nothing. Throws `not_found`, also for another tenant's. */
export async function revokeShareLink(op: Operation, linkId: string): Promise<void> {
  requireScope(op, 'artifacts:export')
  await op.write(async (tx) => {
    const link = await tx.q
      .selectFrom('share_links')
      .select('revoked_at as revokedAt')
      .where('id', '=', linkId)
      .where('tenant_id', '=', op.tenantId)
      .forUpdate()
      .executeTakeFirst()
    if (link === undefined) throw KERNEL_ERRORS.not_found('no such link')
    if (link.revokedAt !== null) return
    await tx.q.updateTable('share_links').set({ revoked_at: op.now() }).where('id', '=', linkId).execute()
    await recordAudit(tx, op, { action: 'share_link.revoked', target: linkId, payload: {} })
  })
}
