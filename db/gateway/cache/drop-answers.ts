import type { Transaction } from '../../kernel/transaction.ts'

/** Drops all cached answers of a tenant: what is to be forgotten may stand in any, since later calls repeat them. */
export async function dropAnswers(tx: Transaction, tenantId: string): Promise<void> {
  await tx.q.deleteFrom('cached_answers').where('tenant_id', '=', tenantId).execute()
}
