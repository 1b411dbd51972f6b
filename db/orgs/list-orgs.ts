import type { PlanId } from '../../core/tenancy/plans.ts'
import type { Role } from '../../core/tenancy/roles.ts'
import type { Operation } from '../operation.ts'

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

/**
 * The caller's organisation, and those where an active member has the caller's address. Both addresses must be verified:
 * whoever only claims an address learns nothing about where else it is known.
 */
export async function listOrgs(op: Operation, callerId: string | null): Promise<readonly OrgOfCaller[]> {
  return await op.db.query<OrgOfCaller>(
    `select t.id, t.name, t.plan, other.role, t.id = $2 as "isCurrent", t.created_at as "createdAt"
     from members me
     join members other on other.id = me.id
       or (other.email = me.email and other.is_email_verified and me.is_email_verified)
     join tenants t on t.id = other.tenant_id and t.kind = 'user' and t.deleted_at is null
     where me.id = $1 and me.tenant_id = $2 and me.state = 'active' and other.state = 'active'
     order by t.id = $2 desc, t.created_at desc, t.id limit $3`,
    [callerId, op.tenantId, MOST_ORGS],
  )
}
