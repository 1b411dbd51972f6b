import type { SqlRunner } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** True for a team of another tenant: that one is forbidden, while an id that no team has is unknown. */
export async function isTeamOfOthers(sql: SqlRunner, teamId: string): Promise<boolean> {
  if (!isTransaction(sql)) return false
  const found = await service.within(sql, 'a team of others is forbidden, not unknown', (q) =>
    q.selectFrom('teams').select('id').where('id', '=', teamId),
  )
  return found.length > 0
}

/** True for another organisation: that one is forbidden, while an id that none has is unknown. */
export async function isOrgOfOthers(sql: SqlRunner, orgId: string): Promise<boolean> {
  if (!isTransaction(sql)) return false
  const found = await service.within(sql, 'another organisation is forbidden, not unknown', (q) =>
    q
      .selectFrom('tenants')
      .select('id')
      .where('id', '=', orgId)
      .where('kind', '=', 'user')
      .where('deleted_at', 'is', null),
  )
  return found.length > 0
}

/** True when another tenant has verified the address: one verified address is one tenant. */
export async function isVerifiedByOthers(
  tx: Transaction,
  input: { readonly tenantId: string; readonly email: string },
): Promise<boolean> {
  const found = await service.within(tx, 'one verified address is one tenant', (q) =>
    q
      .selectFrom('tenants')
      .select('id')
      .where('email', '=', input.email)
      .where('id', '!=', input.tenantId)
      .where('is_email_verified', '=', true)
      .where('deleted_at', 'is', null)
      .limit(1),
  )
  return found.length > 0
}

/** Outside of a transaction, the first look saw the rows of all tenants already. */
function isTransaction(sql: SqlRunner): sql is Transaction {
  return 'em' in sql
}
