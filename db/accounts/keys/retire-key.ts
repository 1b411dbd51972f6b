import { notify } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** A key to end, and the fate of the sessions opened with it. */
export interface RetireKeyInput {
  readonly tenantId: string
  readonly keyId: string
  /** The caller's session, which continues with another key behind it. */
  readonly kept: { readonly sessionId: string; readonly newKeyId: string } | null
  readonly now: Date
}

/** Ends a key and the sessions opened with it, on every process at once. */
export async function retireKey(tx: Transaction, input: RetireKeyInput): Promise<void> {
  const { tenantId, keyId, kept, now } = input
  await tx.em.flush()
  if (kept !== null) {
    await tx.q
      .updateTable('sessions')
      .set({ source_key_id: kept.newKeyId })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', kept.sessionId)
      .where('source_key_id', '=', keyId)
      .execute()
  }
  await tx.q
    .updateTable('api_keys')
    .set((of) => ({ revoked_at: of.fn.coalesce('revoked_at', of.val(now)) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', keyId)
    .returning((of) => notify('svc_keys', of.ref('id')).as('notified'))
    .execute()
  await tx.q
    .updateTable('sessions')
    .set({ closed_at: now })
    .where('tenant_id', '=', tenantId)
    .where('source_key_id', '=', keyId)
    .where('closed_at', 'is', null)
    .returning((of) => notify('svc_sessions', of.ref('id')).as('notified'))
    .execute()
}
