import { LEDGER_ERRORS } from '../../../core/ledger/errors.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { notify } from '../../kernel/queries/typed.ts'
import { ReceiptSecretEntity } from './receipt-secret.ts'

/**
 * Destroys a previous receipt secret for good; its id stays as a tombstone, so that its receipts can be distinguished
 * from forged ones. Repeating it changes nothing. Throws `unknown_receipt_key` and `cannot_prune_current_key`.
 */
export async function pruneReceiptSecret(
  op: Operation,
  input: { readonly keyId: string },
): Promise<{ readonly remainingCount: number }> {
  requireScope(op, 'receipts:write')
  return await op.write(async (tx) => {
    const secret = await tx.em.findOne(ReceiptSecretEntity, { id: input.keyId })
    if (secret === null) throw LEDGER_ERRORS.unknown_receipt_key('no such receipt secret')
    if (secret.state === 'current') {
      throw LEDGER_ERRORS.cannot_prune_current_key('the current receipt secret cannot be pruned; rotate first')
    }
    const wasLive = secret.state === 'previous'
    const pruned = await tx.q
      .updateTable('receipt_secrets')
      .set({ state: 'pruned', sealed_secret: null, pruned_at: op.now() })
      .where('id', '=', input.keyId)
      .where('tenant_id', '=', op.tenantId)
      .where('state', '=', 'previous')
      .returning(notify('svc_receipt_secrets', op.tenantId).as('notified'))
      .execute()
    const ring = await tx.q
      .selectFrom('receipt_secrets')
      .select(tx.q.fn.countAll<number>().as('live'))
      .where('tenant_id', '=', op.tenantId)
      .where('state', '!=', 'pruned')
      .executeTakeFirst()
    if (wasLive && pruned.length === 1) {
      await recordAudit(tx, op, { action: 'receipt_secret.pruned', target: input.keyId, payload: {} })
    }
    return { remainingCount: ring?.live ?? 0 }
  })
}
