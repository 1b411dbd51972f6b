import type { Transaction } from '../../kernel/transaction.ts'

/** Holds a team's row until the transaction ends, so that those who count its owners and then change them count alone. */
export async function lockTeam(tx: Transaction, tenantId: string, teamId: string): Promise<void> {
  await tx.query('select 1 from teams where id = $1 and tenant_id = $2 for no key update', [teamId, tenantId])
}
