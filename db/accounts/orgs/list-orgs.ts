import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import type { Role } from '../../../core/accounts/roles.ts'
import type { Operation } from '../../kernel/operation.ts'

/** An organisation that a person is in. */
export interface OrgOfCaller {
  readonly id: string
  readonly name: string
  readonly plan: PlanId
  readonly role: Role
  /** The one that the call was made for; of the others only this much is shown. */
  readonly isCurrent: boolean
  readonly createdAt: Date
}

const MOST_ORGS = 200

/** The caller, and the session of the call when a browser makes it. */
export interface OrgsCaller {
  readonly memberId: string | null
  readonly sessionId: string | null
}

/**
 * The caller's organisation, and those where an active member has the caller's address. Both addresses must be verified,
 * and the caller must be the owner or have proved the address in this session: whoever only claims an address, or was
 * signed in by a provider that the organisation chose, learns nothing about where else it is known.
 */
export async function listOrgs(op: Operation, caller: OrgsCaller): Promise<readonly OrgOfCaller[]> {
  return await op.db.query<OrgOfCaller>(
    `select t.id, t.name, t.plan, other.role, t.id = $2 as "isCurrent", t.created_at as "createdAt"
     from members me
     left join sessions s on s.id = $4 and s.member_id = me.id and s.auth_method in ('mail', 'invitation', 'oauth')
     join members other on other.id = me.id
       or (other.email = me.email and other.is_email_verified and me.is_email_verified
         and (me.role = 'owner' or s.id is not null))
     join tenants t on t.id = other.tenant_id and t.kind = 'user' and t.deleted_at is null
     where me.id = $1 and me.tenant_id = $2 and me.state = 'active' and other.state = 'active'
     order by t.id = $2 desc, t.created_at desc, t.id limit $3`,
    [caller.memberId, op.tenantId, MOST_ORGS, caller.sessionId],
  )
}
