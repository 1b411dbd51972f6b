import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Principal } from '../../kernel/tenant/principal.ts'

/**
 * Returns the condition that a caller may use a provider key (`p`): an active member's own (`m`), or its team's. Bound
 * unchanged: a comparison with null finds no row.
 */
export function isUsableBy({ memberId, teamId }: Pick<Principal, 'memberId' | 'teamId'>): RawBuilder<SqlBool> {
  return sql<SqlBool>`((p.scope = 'member' and p.holder_id = ${memberId} and m.state = 'active')
    or (p.scope = 'team' and p.holder_id = ${teamId}))`
}
