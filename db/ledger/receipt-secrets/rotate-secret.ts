import { LEDGER_ERRORS } from '../../../core/ledger/errors.ts'
import type { Limits } from '../../../core/ledger/limits.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { notify } from '../../kernel/queries/typed.ts'
import { lockInTransaction } from '../../kernel/transaction.ts'
import { addReceiptSecret } from './add-secret.ts'

/**
 * Makes a new current receipt secret. The previous one stays in the ring, so that its receipts can be verified until it
 * is pruned. Throws `too_many_keys` at the limit of unpruned secrets.
 */
export async function rotateReceiptSecret(
  op: Operation,
  input: { readonly limits: Limits },
): Promise<{ readonly keyId: string; readonly rotatedAt: Date; readonly previousCount: number }> {
  requireScope(op, 'receipts:write')
  const now = op.now()
  const most = input.limits.receipt_secrets_per_tenant
  return await op.write(async (tx) => {
    await lockInTransaction(tx, `receipt secrets ${op.tenantId}`)
    await tx.q
      .updateTable('receipt_secrets')
      .set({ state: 'previous', retired_at: now })
      .where('tenant_id', '=', op.tenantId)
      .where('state', '=', 'current')
      .execute()
    const keyId = addReceiptSecret(tx, { secrets: op.db.secrets, tenantId: op.tenantId, now })
    await tx.em.flush()
    const ring = await tx.q
      .selectFrom('receipt_secrets')
      .select((of) => [
        of.fn.countAll<number>().as('previous'),
        notify('svc_receipt_secrets', op.tenantId).as('notified'),
      ])
      .where('tenant_id', '=', op.tenantId)
      .where('state', '=', 'previous')
      .executeTakeFirst()
    const previousCount = ring?.previous ?? 0
    if (previousCount >= most) throw LEDGER_ERRORS.too_many_keys(`there are ${most} receipt secrets; prune one`)
    await recordAudit(tx, op, { action: 'receipt_secret.rotated', target: keyId, payload: { key_id: keyId } })
    return { keyId, rotatedAt: now, previousCount }
  })
}
