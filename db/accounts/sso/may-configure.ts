import { type PlanId, PLANS, plansWith } from '../../../core/kernel/tenant/plans.ts'
import { requireHeldRole } from '../members/held-role.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'

/** Returns true when the plan includes sign-in through the customer's identity provider. */
export function isEntitled(plan: PlanId): boolean {
  return PLANS[plan].hasSso
}

/** Throws `enterprise_only` for a plan without SSO and SCIM. */
export function requireEntitled(plan: PlanId): void {
  if (isEntitled(plan)) return
  throw ACCOUNTS_ERRORS.enterprise_only('single sign-on and SCIM come with the business and enterprise plans', {
    details: { plan, allowed_plans: plansWith('hasSso') },
  })
}

/**
 * Requires an admin's rights: naming the identity provider, or holding the SCIM token, allows becoming any member up to
 * an admin. Throws `insufficient_scope`.
 */
export function requireDirectoryRights(op: Operation): void {
  requireScope(op, 'identity:write')
  requireHeldRole(op, 'admin')
}
