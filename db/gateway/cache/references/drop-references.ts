import type { TenantAccess } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'

/** Drops all references of a tenant: what is to be forgotten may stand in any response, since later ones continue it. */
export async function dropReferences(tx: Transaction, tenantId: string): Promise<void> {
  await tx.q.deleteFrom('response_references').where('tenant_id', '=', tenantId).execute()
}

/** Drops a response and its items. */
export async function dropResponse(tenant: TenantAccess, key: Buffer): Promise<void> {
  await tenant.write(async (tx) => {
    await tx.q
      .deleteFrom('response_references')
      .where('tenant_id', '=', tenant.tenantId)
      .where((of) => of.or([of('key', '=', key), of('response_key', '=', key)]))
      .execute()
  })
}
