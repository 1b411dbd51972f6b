import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'

/** A provider key known to a former member of its team. */
export interface KeyToRotate {
  readonly keyId: string
  readonly provider: string
  readonly teamId: string
  readonly teamSlug: string
  readonly removedAt: Date
}

/**
 * Lists provider keys that a team shares and that were stored before a member left the team or was removed from the
 * organisation: that member may still know them.
 */
export async function keysToRotate(op: Pick<Operation, 'db' | 'tenantId' | 'read'>): Promise<readonly KeyToRotate[]> {
  return await op.read((q) =>
    q
      .selectFrom('provider_keys as k')
      .innerJoin('teams as t', 't.id', 'k.team_id')
      .crossJoinLateral((each) =>
        each
          .selectFrom('team_members as tm')
          .innerJoin('members as m', 'm.id', 'tm.member_id')
          .select(sql<Date>`greatest(t.member_removed_at, max(m.deactivated_at))`.as('at'))
          .whereRef('tm.team_id', '=', 't.id')
          .where('m.state', '=', 'deactivated')
          .as('gone'),
      )
      .select(['k.id as keyId', 'k.provider', 't.id as teamId', 't.slug as teamSlug', 'gone.at as removedAt'])
      .where('k.tenant_id', '=', op.tenantId)
      .where('t.tenant_id', '=', op.tenantId)
      .whereRef('gone.at', '>', 'k.updated_at')
      .orderBy('gone.at', 'desc')
      .orderBy('k.id'),
  )
}
