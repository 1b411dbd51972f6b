import type { ModelProviderId } from '../../../core/gateway/provider-catalog.ts'
import type { Database } from '../../kernel/database.ts'
import { providerKeyScope } from './seal-value.ts'

/** Who is about to ask a provider. */
export interface ResolveProviderKeyInput {
  readonly tenantId: string
  readonly memberId: string | null
  readonly teamId: string | null
  readonly provider: ModelProviderId
  readonly now: Date
}

/** A customer's key, open for one use: it belongs into a request header and nowhere else. */
export interface ResolvedProviderKey {
  readonly id: string
  readonly value: string
}

/**
 * The key that a call to a provider is made with: the member's own, then the team's; null when there is neither. One of
 * a member who was shut out is not used.
 */
export async function resolveProviderKey(
  db: Database,
  input: ResolveProviderKeyInput,
): Promise<ResolvedProviderKey | null> {
  const { tenantId, memberId, teamId, provider, now } = input
  const [row] = await db.query<{ id: string; sealed: Uint8Array }>(
    `with best as (
       select p.id from provider_keys p left join members m on m.id = p.member_id
       where p.tenant_id = $1 and p.provider = $2
         and ((p.scope = 'member' and p.holder_id = $3 and m.state = 'active') or (p.scope = 'team' and p.holder_id = $4))
       order by p.scope = 'member' desc limit 1
     )
     update provider_keys p set last_used_at = $5 from best where p.id = best.id
     returning p.id, p.sealed_value as sealed`,
    [tenantId, provider, memberId, teamId, now],
  )
  if (row === undefined) return null
  const value = db.secrets.open(row.sealed, providerKeyScope({ tenantId, id: row.id, provider }))
  return { id: row.id, value: Buffer.from(value).toString('utf8') }
}
