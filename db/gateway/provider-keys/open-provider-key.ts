import type { TenantAccess } from '../../kernel/operation.ts'
import { providerKeyScope } from './seal-value.ts'

/** Opens a stored key for one use by its id; null when it was removed meanwhile, also with its account. */
export async function openProviderKey(op: TenantAccess, id: string): Promise<string | null> {
  const [row] = await op.read((q) =>
    q
      .selectFrom('provider_keys')
      .select(['provider', 'sealed_value as sealed'])
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId),
  )
  if (row === undefined || row.sealed.length === 0) return null
  const { tenantId } = op
  const value = op.db.secrets.open(row.sealed, providerKeyScope({ tenantId, id, provider: row.provider }))
  return Buffer.from(value).toString('utf8')
}
