import { type DomainError, invalidField } from '../../../core/kernel/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { PLANS, plansWith } from '../../../core/kernel/tenant/plans.ts'
import { atLeast } from '../../../core/accounts/roles.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import { findRole } from '../members/find-role.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import { slugOf } from './team-slug.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import type { Limits } from '../../../core/accounts/limits.ts'

/** A new team. Plan and seats are the organisation's and cannot be set here. */
export interface CreateTeamInput {
  readonly name: string
  /** Derived from the name when absent. */
  readonly slug?: string | undefined
  /** Member that makes it, and becomes its owner. */
  readonly callerId: string | null
  readonly limits: Limits
}

/**
 * Makes a team; returns its id. Throws `plan_upgrade_required` on a plan without teams, `forbidden` for a viewer,
 * `duplicate` for a slug that is taken, and `limit_reached`.
 */
export async function createTeam(op: Operation, input: CreateTeamInput): Promise<string> {
  requireScope(op, 'team:write')
  const slug = input.slug ?? slugOf(input.name)
  return await op.write(async (tx) => {
    const callerId = await requireTeamMaker(tx, op, input.callerId)
    await requireRoomForTeam(tx, op, input.limits)
    const id = newId('team')
    const now = op.now()
    const made = await tx.q
      .insertInto('teams')
      .values({
        id,
        tenant_id: op.tenantId,
        slug,
        name: input.name,
        source: 'manual',
        created_at: now,
        updated_at: now,
      })
      .onConflict((on) => on.columns(['tenant_id', 'slug']).doNothing())
      .returning('id')
      .execute()
    if (made.length === 0) throw slugTaken(slug)
    await tx.q
      .insertInto('team_members')
      .values({ team_id: id, member_id: callerId, tenant_id: op.tenantId, role: 'owner', created_at: now })
      .execute()
    await recordAudit(tx, op, { action: 'team.created', target: id, payload: { slug, owner: callerId } })
    return id
  })
}

/**
 * Returns the member who may make teams. Throws `plan_upgrade_required` on a plan without teams, and `forbidden` for
 * viewers and callers who are not a member.
 */
export async function requireTeamMaker(
  from: Reader,
  op: Pick<Operation, 'tenantId'>,
  callerId: string | null,
): Promise<string> {
  await requireTeamPlan(from, op.tenantId)
  const role = await findRole(from, op.tenantId, callerId)
  if (callerId !== null && role !== null && atLeast(role, 'member')) return callerId
  throw ACCOUNTS_ERRORS.forbidden('only members of the organisation can create teams')
}

/** Throws `plan_upgrade_required` when the tenant's plan has no teams. */
export async function requireTeamPlan(from: Reader, tenantId: string): Promise<void> {
  const [tenant] = await from.read((q) => q.selectFrom('tenants').select('plan').where('id', '=', tenantId))
  const plan = tenant?.plan ?? 'free'
  if (PLANS[plan].hasTeams) return
  throw ACCOUNTS_ERRORS.plan_upgrade_required(`the plan ${plan} does not include teams`, {
    details: { current_plan: plan, allowed_plans: plansWith('hasTeams') },
  })
}

/** Throws `limit_reached` when the organisation has its maximum of teams; counted under a lock. */
export async function requireRoomForTeam(tx: Transaction, op: Operation, limits: Limits): Promise<void> {
  const most = limits.teams_per_tenant
  await lockInTransaction(tx, `teams ${op.tenantId}`)
  const [row] = await tx.read((q) =>
    q.selectFrom('teams').select(q.fn.countAll<number>().as('teams')).where('tenant_id', '=', op.tenantId),
  )
  if ((row?.teams ?? 0) < most) return
  throw ACCOUNTS_ERRORS.limit_reached(`there are ${most} teams already; remove one first`, { details: { max: most } })
}

/** Returns the error of a slug that another team of the organisation has. */
export function slugTaken(slug: string): DomainError {
  return invalidField('slug', `another team is called ${slug}`, ACCOUNTS_ERRORS.duplicate)
}
