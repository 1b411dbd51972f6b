import { DomainError } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { inTransaction } from '../../kernel/transaction.ts'
import { ReceiptSecretEntity } from './receipt-secret.ts'

/**
 * Destroys a previous receipt secret for good; its id stays as a tombstone, so that its receipts are told from forged
 * ones. Repeating it changes nothing. Throws `unknown_receipt_key` and `cannot_prune_current_key`.
 */
export async function pruneReceiptSecret(
  op: Operation,
  input: { readonly keyId: string },
): Promise<{ readonly remainingCount: number }> {
  requireScope(op, 'receipts:write')
  return await inTransaction(op.db, op.tenantId, async (tx) => {
    const secret = await tx.em.findOne(ReceiptSecretEntity, { id: input.keyId })
    if (secret === null) throw new DomainError('unknown_receipt_key', 'no such receipt secret')
    if (secret.state === 'current') {
      throw new DomainError('cannot_prune_current_key', 'the current receipt secret cannot be pruned; rotate first')
    }
    const wasLive = secret.state === 'previous'
    const pruned = await tx.query(
      `update receipt_secrets set state = 'pruned', sealed_secret = null, pruned_at = $3
       where id = $1 and tenant_id = $2 and state = 'previous' returning pg_notify('svc_receipt_secrets', $2)`,
      [input.keyId, op.tenantId, op.now()],
    )
    const [ring] = await tx.query<{ live: number }>(
      `select count(*) as live from receipt_secrets where tenant_id = $1 and state <> 'pruned'`,
      [op.tenantId],
    )
    if (wasLive && pruned.length === 1) {
      await recordAudit(tx, op, { action: 'receipt_secret.pruned', target: input.keyId, payload: {} })
    }
    return { remainingCount: ring?.live ?? 0 }
  })
}
