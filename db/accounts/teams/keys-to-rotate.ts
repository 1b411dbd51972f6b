import type { Operation } from '../../kernel/operation.ts'

/** A provider key that somebody has seen who is not in the team any more. */
export interface KeyToRotate {
  readonly keyId: string
  readonly provider: string
  readonly teamId: string
  readonly teamSlug: string
  readonly removedAt: Date
}

/**
 * Provider keys shared by a team and stored before a member left the team or was shut out of the organisation: whoever
 * left may still know them.
 */
export async function keysToRotate(op: Pick<Operation, 'db' | 'tenantId'>): Promise<readonly KeyToRotate[]> {
  return await op.db.query<KeyToRotate>(
    `select k.id as "keyId", k.provider, t.id as "teamId", t.slug as "teamSlug", gone.at as "removedAt"
     from provider_keys k join teams t on t.id = k.team_id
     cross join lateral (
       select greatest(t.member_removed_at, (
         select max(m.deactivated_at) from team_members tm join members m on m.id = tm.member_id
         where tm.team_id = t.id and m.state = 'deactivated'
       )) as at
     ) gone
     where k.tenant_id = $1 and t.tenant_id = $1 and gone.at > k.updated_at
     order by gone.at desc, k.id`,
    [op.tenantId],
  )
}
