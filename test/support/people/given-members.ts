import { randomBytes } from 'node:crypto'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import type { Role } from '../../../core/accounts/roles.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { scopesOfRole } from '../../../core/accounts/roles.ts'
import { addMember } from '../../../db/accounts/members/add-member.ts'
import { MemberEntity, type Member } from '../../../db/accounts/members/member.ts'
import { ACCESS, type Operation } from '../../../db/kernel/operation.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'
import { openSession } from '../../../db/accounts/sessions/open-session.ts'
import { sendSql } from '../db/send-sql.ts'

/** The operation of a test that sets something up behind the routes. */
export function setUpOperation(db: Database, tenantId: string): Operation {
  return systemOperation(db, { tenantId, name: 'test', requestId: newId('req') })
}

/** Takes a new person into a tenant; its plan must have a seat for them. */
export async function givenMember(
  op: Operation,
  given: { readonly role: Role; readonly email?: string; readonly isEmailVerified?: boolean },
): Promise<Member> {
  return await op.write(async (tx) => {
    const { role, email = `${randomBytes(8).toString('hex')}@example.test`, isEmailVerified = true } = given
    return await addMember(tx, op, { email, role, source: 'invitation', isEmailVerified })
  })
}

/** The member that signed the tenant up. */
export async function findOwner(op: Operation): Promise<Member> {
  return await op.write(
    async (tx) => await tx.em.findOneOrFail(MemberEntity, { role: 'owner' }, { orderBy: { createdAt: 'asc' } }),
  )
}

/** A member's browser: its session, the headers that carry it, and the operation that a verb gets. */
export interface GivenSession {
  readonly sessionId: string
  readonly headers: { readonly cookie: string; readonly 'sec-fetch-site': string }
  readonly op: Operation
}

/** Opens a session that has the rights of the member's role. */
export async function givenSession(db: Database, member: Member): Promise<GivenSession> {
  const tenantId = member.tenantId
  const { sessionId, token } = await openSession(setUpOperation(db, tenantId), {
    keyId: null,
    memberId: member.id,
    authMethod: 'mail',
    limits: DEFAULT_LIMITS,
  })
  return {
    sessionId,
    headers: { cookie: `svc_session=${token}`, 'sec-fetch-site': 'same-origin' },
    op: {
      ...ACCESS,
      db,
      tenantId,
      actor: { kind: 'session', sessionId, memberId: member.id },
      scopes: scopesOfRole(member.role),
      requestId: newId('req'),
      now: () => new Date(),
    },
  }
}

/** Puts a tenant on a plan, as a payment would, on every process at once. */
export async function givenPlan(db: Database, tenantId: string, plan: PlanId): Promise<void> {
  await sendSql(db, `update tenants set plan = $2 where id = $1 returning pg_notify('svc_keys', id)`, [tenantId, plan])
}
