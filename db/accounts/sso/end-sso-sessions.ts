import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import { notify } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import type { SsoProtocol } from './login-attempts.ts'

/** Ends the sessions that the tenant's own provider opened: of one member, or all. */
export async function endSsoSessions(
  tx: Transaction,
  op: Operation,
  input: { readonly protocols: readonly SsoProtocol[]; readonly memberId?: string | undefined },
): Promise<void> {
  const { protocols, memberId } = input
  await tx.q
    .updateTable('sessions')
    .set({ closed_at: op.now() })
    .where('tenant_id', '=', op.tenantId)
    .where(sql<boolean>`auth_method = any(${[...protocols]})`)
    .$if(memberId !== undefined, (all) => all.where('member_id', '=', memberId ?? ''))
    .where('closed_at', 'is', null)
    .returning((of) => notify('svc_sessions', of.ref('id')).as('notified'))
    .execute()
}
