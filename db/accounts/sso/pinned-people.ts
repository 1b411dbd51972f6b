import { sql } from 'kysely'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import type { SsoProtocol } from './login-attempts.ts'

/** What a tenant's own provider is called where people are pinned to its names for them. */
export function ownProvider(protocol: SsoProtocol, tenantId: string): string {
  return `${protocol}:${tenantId}`
}

/**
 * Forgets the names by which the tenant's own provider knows people: of one member, or all of a provider that the tenant
 * has no longer, since the same name may be somebody else's at the next one. Whoever signs in then is found by address.
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
