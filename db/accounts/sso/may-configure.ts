import { type PlanId, PLANS, plansWith } from '../../../core/kernel/tenant/plans.ts'
import { requireHeldRole } from '../members/held-role.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'

/** Whether the plan signs people in through an identity provider of the customer's. */
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
 * Whoever names the identity provider, or holds the token that makes members, can become any member up to an admin. So
 * it takes an admin's rights. Throws `insufficient_scope`.
 */
export function requireDirectoryRights(op: Operation): void {
  requireScope(op, 'identity:write')
  requireHeldRole(op, 'admin')
}
