import type { Transaction } from '../../kernel/transaction.ts'

/** Holds a team's row until the transaction ends, so that those who count its owners and then change them count alone. */
export async function lockTeam(tx: Transaction, tenantId: string, teamId: string): Promise<void> {
  await tx.q
    .selectFrom('teams')
    .select('id')
    .where('id', '=', teamId)
    .where('tenant_id', '=', tenantId)
    .forNoKeyUpdate()
    .execute()
}
