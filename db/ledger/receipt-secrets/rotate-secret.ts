import { DomainError } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { inTransaction, lockInTransaction } from '../../kernel/transaction.ts'
import { addReceiptSecret } from './add-secret.ts'

/**
 * Makes a new current receipt secret. The one before it stays in the ring, so that its receipts can be verified until
 * somebody prunes it. Throws `too_many_keys` when as many wait for that as the limit allows.
 */
export async function rotateReceiptSecret(
  op: Operation,
  input: { readonly limits: Limits },
): Promise<{ readonly keyId: string; readonly rotatedAt: Date; readonly previousCount: number }> {
  requireScope(op, 'receipts:write')
  const now = op.now()
  const most = input.limits.receipt_secrets_per_tenant
  return await inTransaction(op.db, op.tenantId, async (tx) => {
    await lockInTransaction(tx, `receipt secrets ${op.tenantId}`)
    await tx.query(
      `update receipt_secrets set state = 'previous', retired_at = $2 where tenant_id = $1 and state = 'current'`,
      [op.tenantId, now],
    )
    const keyId = addReceiptSecret(tx, { secrets: op.db.secrets, tenantId: op.tenantId, now })
    await tx.em.flush()
    const [ring] = await tx.query<{ previous: number }>(
      `select count(*) as previous, pg_notify('svc_receipt_secrets', $1) from receipt_secrets
       where tenant_id = $1 and state = 'previous'`,
      [op.tenantId],
    )
    const previousCount = ring?.previous ?? 0
    if (previousCount >= most) throw new DomainError('too_many_keys', `there are ${most} receipt secrets; prune one`)
    await recordAudit(tx, op, { action: 'receipt_secret.rotated', target: keyId, payload: { key_id: keyId } })
    return { keyId, rotatedAt: now, previousCount }
  })
}
