import type { Transaction } from '../../kernel/transaction.ts'

/** Drops the cached answers of a tenant: of these captures, or all of them where what is to go may stand in any. */
export async function dropAnswers(
  tx: Transaction,
  tenantId: string,
  captureIds: readonly string[] | 'all',
): Promise<void> {
  const query = tx.q.deleteFrom('cached_answers').where('tenant_id', '=', tenantId)
  await (captureIds === 'all' ? query : query.where('capture_id', 'in', captureIds)).execute()
}
