import type { Transaction } from '../../kernel/transaction.ts'

/**
 * Locks a team's row until the transaction ends, so that only one transaction at a time counts its owners and changes
 * them.
 */
export async function lockTeam(tx: Transaction, tenantId: string, teamId: string): Promise<void> {
  await tx.q
    .selectFrom('teams')
    .select('id')
    .where('id', '=', teamId)
    .where('tenant_id', '=', tenantId)
    .forNoKeyUpdate()
    .execute()
}
