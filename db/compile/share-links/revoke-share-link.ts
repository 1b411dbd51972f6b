import { DomainError } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { boundsOf, jobInBounds } from '../../kernel/namespaces/bounds.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { inTransaction } from '../../kernel/transaction.ts'

/** Ends a link at once. Ending it twice changes nothing. Throws `not_found`, also for another tenant's. */
export async function revokeShareLink(op: Operation, linkId: string): Promise<void> {
  requireScope(op, 'artifacts:export')
  await inTransaction(op.db, op.tenantId, async (tx) => {
    const [link] = await tx.query<{ revokedAt: Date | null }>(
      `select revoked_at as "revokedAt" from share_links
       where id = $1 and tenant_id = $2 and ${jobInBounds('share_links.target_id', 3)} for update`,
      [linkId, op.tenantId, boundsOf(op)],
    )
    if (link === undefined) throw new DomainError('not_found', 'no such link')
    if (link.revokedAt !== null) return
    await tx.query('update share_links set revoked_at = $2 where id = $1', [linkId, op.now()])
    await recordAudit(tx, op, { action: 'share_link.revoked', target: linkId, payload: {} })
  })
}
