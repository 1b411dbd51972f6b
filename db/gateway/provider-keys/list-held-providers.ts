import type { Operation } from '../../kernel/operation.ts'
import type { Principal } from '../../kernel/tenant/principal.ts'
import { isUsableBy } from './usable-by.ts'

/** Returns the providers for which the vault holds a key that the caller may use. */
export async function listHeldProviders(
  op: Operation,
  caller: Pick<Principal, 'memberId' | 'teamId'>,
): Promise<ReadonlySet<string>> {
  const rows = await op.read((q) =>
    q
      .selectFrom('provider_keys as p')
      .leftJoin('members as m', 'm.id', 'p.member_id')
      .select('p.provider')
      .distinct()
      .where('p.tenant_id', '=', op.tenantId)
      .where(isUsableBy(caller)),
  )
  return new Set(rows.map(({ provider }) => provider))
}
