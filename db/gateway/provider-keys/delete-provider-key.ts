import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { administrates, vaultCaller } from './holder.ts'
import { ProviderKeyEntity } from './provider-key.ts'

/**
 * Removes a stored key. A member's key can be removed by the member or an administrator of the tenant, a team's by an
 * administrator of the team or the tenant. Throws `not_found`, also for another tenant's key, and `forbidden`.
 */
export async function deleteProviderKey(
  op: Operation,
  input: { readonly id: string; readonly memberId: string | null },
): Promise<void> {
  requireScope(op, 'provider_keys:write')
  await op.write(async (tx) => {
    const key = await tx.em.findOne(ProviderKeyEntity, { id: input.id })
    if (key === null) throw KERNEL_ERRORS.not_found('no such provider key')
    const caller = await vaultCaller(tx, op, input.memberId)
    const mayDelete =
      key.scope === 'team'
        ? administrates(caller, key.holderId)
        : caller.isAdmin || (input.memberId !== null && key.holderId === input.memberId)
    if (!mayDelete) throw ACCOUNTS_ERRORS.forbidden('this key is not yours to remove')
    const { provider, scope, holderId } = key
    tx.em.remove(key)
    await recordAudit(tx, op, {
      action: 'provider_key.deleted',
      target: input.id,
      payload: { provider, scope, holder_id: holderId },
    })
  })
}
