import { sql } from 'kysely'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import type { SsoProtocol } from './login-attempts.ts'

/** Returns the provider name under which people of a tenant's own provider are pinned. */
export function ownProvider(protocol: SsoProtocol, tenantId: string): string {
  return `${protocol}:${tenantId}`
}

/**
 * Removes the pinned ids of the tenant's own provider: of one member, or of all when the tenant has dropped the
 * provider, since the next one may use the same id for another person. Later sign-ins find people by address.
 */
export async function unpinPeople(
  tx: Transaction,
  op: Operation,
  input: { readonly protocols: readonly SsoProtocol[]; readonly memberId?: string | undefined },
): Promise<void> {
  const { protocols, memberId } = input
  const providers = protocols.map((protocol) => ownProvider(protocol, op.tenantId))
  const gone = await tx.q
    .deleteFrom('external_identities')
    .where('tenant_id', '=', op.tenantId)
    .where(sql<boolean>`provider = any(${providers})`)
    .$if(memberId !== undefined, (all) => all.where('member_id', '=', memberId ?? ''))
    .executeTakeFirst()
  const people = Number(gone.numDeletedRows)
  if (people === 0) return
  await recordAudit(tx, op, {
    action: 'identity.unlinked',
    target: memberId ?? op.tenantId,
    payload: { protocols: [...protocols], people },
  })
}
