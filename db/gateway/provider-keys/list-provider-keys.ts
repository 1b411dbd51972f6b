import { sql } from 'kysely'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requireOwnTeam, vaultCaller } from './holder.ts'
import type { ProviderKey } from './provider-key.ts'

const COLUMNS = [
  'id',
  'tenant_id as tenantId',
  'scope',
  'holder_id as holderId',
  'member_id as memberId',
  'team_id as teamId',
  'provider',
  'label',
  'prefix',
  'fingerprint',
  'sealed_value as sealedValue',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'last_used_at as lastUsedAt',
] as const

/**
 * Lists the provider keys that the caller may see: their own, those of their teams, and all for administrators. With a
 * team only its keys. The values stay sealed. Throws `not_found` for an unknown team and `forbidden` for one without
 * the caller.
 */
export async function listProviderKeys(
  op: Operation,
  input: { readonly memberId: string | null; readonly teamId?: string | undefined },
): Promise<readonly ProviderKey[]> {
  const { memberId, teamId } = input
  const caller = await vaultCaller(op, op, memberId)
  if (teamId !== undefined) {
    await requireOwnTeam(op, op.tenantId, teamId)
    if (!caller.isAdmin && !caller.teams.has(teamId)) {
      throw ACCOUNTS_ERRORS.forbidden('only members of a team see its keys')
    }
  }
  const holders = [...caller.teams.keys(), ...(memberId === null ? [] : [memberId])]
  return await op.read((q) => {
    const keys = q
      .selectFrom('provider_keys')
      .select(COLUMNS)
      .where('tenant_id', '=', op.tenantId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
    if (teamId !== undefined) return keys.where('scope', '=', 'team').where('team_id', '=', teamId)
    return caller.isAdmin ? keys : keys.where(sql<boolean>`holder_id = any(${holders})`)
  })
}
