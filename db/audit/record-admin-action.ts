import type { Operation } from '../operation.ts'
import { inTransaction } from '../transaction.ts'
import { recordAudit } from './record-audit.ts'

/**
 * Writes an act of one who runs the service into the operator's ledger, before it is done: what is not written is not
 * done either.
 */
export async function recordAdminAction(
  op: Operation,
  input: { readonly route: string; readonly params: Readonly<Record<string, string>> },
): Promise<void> {
  await inTransaction(op.db, op.tenantId, async (tx) => {
    await recordAudit(tx, op, { action: 'admin.action', payload: { route: input.route, params: { ...input.params } } })
  })
}
