import { sql } from 'kysely'
import { isUsableBy } from './usable-by.ts'
import type { VaultProviderId } from '../../../core/gateway/providers/provider-catalog.ts'
import type { Database } from '../../kernel/database.ts'
import { tenantOf } from '../../kernel/operation.ts'
import { providerKeyScope } from './seal-value.ts'

/** The caller about to ask a provider. */
export interface ResolveProviderKeyInput {
  readonly tenantId: string
  readonly memberId: string | null
  readonly teamId: string | null
  readonly provider: VaultProviderId
  readonly now: Date
  /** True when absent. */
  readonly marksUse?: boolean
}

/** A customer's key, opened for one use: it belongs in a request header and nowhere else. */
export interface ResolvedProviderKey {
  readonly id: string
  readonly value: string
}

/** A use is recorded at most this often, so that most calls only read. */
const RECORDED_EVERY_MS = 60_000

/**
 * Returns the key for a call to a provider: the member's own, then the team's; null when there is neither. A
 * deactivated member's key is not used.
 */
export async function resolveProviderKey(
  db: Database,
  input: ResolveProviderKeyInput,
): Promise<ResolvedProviderKey | null> {
  const { tenantId, memberId, teamId, provider, now, marksUse = true } = input
  const tenant = tenantOf(db, tenantId)
  const [row] = await tenant.read((q) =>
    q
      .selectFrom('provider_keys as p')
      .leftJoin('members as m', 'm.id', 'p.member_id')
      .select(['p.id', 'p.sealed_value as sealed', 'p.last_used_at as lastUsedAt'])
      .where('p.tenant_id', '=', tenantId)
      .where('p.provider', '=', provider)
      .where(isUsableBy({ memberId, teamId }))
      .orderBy(sql`p.scope = 'member'`, 'desc')
      .limit(1),
  )
  if (row === undefined) return null
  const { id, lastUsedAt } = row
  if (marksUse && (lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= RECORDED_EVERY_MS)) {
    await tenant.write(
      async (tx) =>
        await tx.q
          .updateTable('provider_keys')
          .set({ last_used_at: now })
          .where('tenant_id', '=', tenantId)
          .where('id', '=', id)
          .execute(),
    )
  }
  const value = db.secrets.open(row.sealed, providerKeyScope({ tenantId, id, provider }))
  return { id, value: Buffer.from(value).toString('utf8') }
}
