import { DomainError } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import { forkForTenant } from '../../kernel/tables/tenant-filter.ts'
import { requireOwnTeam, vaultCaller } from './holder.ts'
import { ProviderKeyEntity, type ProviderKey } from './provider-key.ts'

/**
 * What the caller may see of the vault: own keys and those of own teams, and everything for administrators. With a team
 * only its keys. The values stay sealed. Throws `not_found` for a team that is not there and `forbidden` for one whose
 * member the caller is not.
 */
export async function listProviderKeys(
  op: Operation,
  input: { readonly memberId: string | null; readonly teamId?: string | undefined },
): Promise<readonly ProviderKey[]> {
  const { memberId, teamId } = input
  const caller = await vaultCaller(op.db, op, memberId)
  const em = forkForTenant(op.db, op.tenantId)
  const newestFirst = { orderBy: { createdAt: 'desc', id: 'desc' } } as const
  if (teamId !== undefined) {
    await requireOwnTeam(op.db, op.tenantId, teamId)
    if (!caller.isAdmin && !caller.teams.has(teamId)) {
      throw new DomainError('forbidden', 'only members of a team see its keys')
    }
    return await em.find(ProviderKeyEntity, { scope: 'team', teamId }, newestFirst)
  }
  if (caller.isAdmin) return await em.find(ProviderKeyEntity, {}, newestFirst)
  const holders = [...caller.teams.keys(), ...(memberId === null ? [] : [memberId])]
  return await em.find(ProviderKeyEntity, { holderId: { $in: holders } }, newestFirst)
}
