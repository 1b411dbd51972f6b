import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import type { Limits } from '../../../core/gateway/limits.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { lockInTransaction } from '../../kernel/transaction.ts'

/**
 * Notes that a tenant, or an address of it, wants to be notified when a connector is there. Noting it again changes nothing.
 * Returns whether it is new. Throws `limit_reached` for one wish too many.
 */
export async function askForConnector(
  op: Operation,
  input: { readonly connector: string; readonly email: string | null; readonly limits: Limits },
): Promise<boolean> {
  const { connector, limits } = input
  const email = input.email?.toLowerCase() ?? ''
  return await op.write(async (tx) => {
    await lockInTransaction(tx, `connectors ${op.tenantId}`)
    const noted = await tx.q
      .selectFrom('connector_interests')
      .select(['connector', 'email'])
      .where('tenant_id', '=', op.tenantId)
      .execute()
    if (noted.some((wish) => wish.connector === connector && wish.email === email)) return false
    const most = limits.connector_interests_per_tenant
    if (noted.length >= most)
      throw ACCOUNTS_ERRORS.limit_reached(`${most} wishes for connectors are noted already`, { details: { max: most } })
    await tx.q
      .insertInto('connector_interests')
      .values({ tenant_id: op.tenantId, connector, email, created_at: op.now() })
      .execute()
    // Without the address: the ledger outlives it.
    await recordAudit(tx, op, { action: 'connector.requested', target: connector, payload: {} })
    return true
  })
}

/** Lists the connectors that the tenant asked for. */
export async function listAskedConnectors(op: Operation): Promise<ReadonlySet<string>> {
  const rows = await op.read((q) =>
    q.selectFrom('connector_interests').select('connector').distinct().where('tenant_id', '=', op.tenantId),
  )
  return new Set(rows.map(({ connector }) => connector))
}
