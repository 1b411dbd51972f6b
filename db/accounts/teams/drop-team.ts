import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { announceKeys } from '../keys/live-actor.ts'

/** Deletes a team with its memberships. Keys that worked for it continue without a team, in every process. */
export async function dropTeam(tx: Transaction, op: Operation, teamId: string): Promise<void> {
  const keys = await tx.read((q) =>
    q
      .selectFrom('api_keys')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('team_id', '=', teamId)
      .where('revoked_at', 'is', null),
  )
  await tx.q.deleteFrom('teams').where('id', '=', teamId).where('tenant_id', '=', op.tenantId).execute()
  for (const { id } of keys) await announceKeys(tx, id)
}
