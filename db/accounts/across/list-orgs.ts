import { sql } from 'kysely'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import type { Role } from '../../../core/accounts/roles.ts'
import type { Operation } from '../../kernel/operation.ts'
import { service } from '../../kernel/queries/service.ts'

/** An organisation of which a person is a member. */
export interface OrgOfCaller {
  readonly id: string
  readonly name: string
  readonly plan: PlanId
  readonly role: Role
  /** The organisation of the call; of the others only these fields are shown. */
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
 * Lists the caller's organisation and those where an active member has the caller's address. Both addresses must be
 * verified, and the caller must be the owner or have proved the address in this session: a caller who only claims an
 * address, or was signed in by a provider that the organisation chose, does not see the other organisations of that
 * address.
 */
export async function listOrgs(op: Operation, caller: OrgsCaller): Promise<readonly OrgOfCaller[]> {
  const isCurrent = sql<boolean>`t.id = ${op.tenantId}`
  return await service.read(op.db, 'a person may be a member of several organisations', (q) =>
    q
      .selectFrom('members as me')
      .leftJoin('sessions as s', (on) =>
        on
          .on('s.id', '=', caller.sessionId)
          .onRef('s.member_id', '=', 'me.id')
          .on('s.auth_method', 'in', ['mail', 'invitation', 'oauth']),
      )
      .innerJoin('members as other', (on) =>
        on.on((of) =>
          of.or([
            of('other.id', '=', of.ref('me.id')),
            of.and([
              of('other.email', '=', of.ref('me.email')),
              of.ref('other.is_email_verified'),
              of.ref('me.is_email_verified'),
              of.or([of('me.role', '=', 'owner'), of('s.id', 'is not', null)]),
            ]),
          ]),
        ),
      )
      .innerJoin('tenants as t', (on) =>
        on.onRef('t.id', '=', 'other.tenant_id').on('t.kind', '=', 'user').on('t.deleted_at', 'is', null),
      )
      .select(['t.id', 't.name', 't.plan', 'other.role', isCurrent.as('isCurrent'), 't.created_at as createdAt'])
      .where('me.id', '=', caller.memberId)
      .where('me.tenant_id', '=', op.tenantId)
      .where('me.state', '=', 'active')
      .where('other.state', '=', 'active')
      .orderBy(isCurrent, 'desc')
      .orderBy('t.created_at', 'desc')
      .orderBy('t.id')
      .limit(MOST_ORGS),
  )
}
