import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import {
  CAPTURE_ACTIONS,
  decideAccess,
  type AccessDecision,
  type CaptureAction,
  type CaptureIdentity,
} from '../../../core/gateway/captures/access.ts'
import type { Role } from '../../../core/accounts/roles.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { findRole } from '../../../db/accounts/members/find-role.ts'
import { findTeamRole } from '../../../db/accounts/teams/find-team-role.ts'
import { DEFAULT_NAMESPACE } from '../../../db/billing/usage/charged-to.ts'
import { isNamespaceKnown } from '../../../db/gateway/namespaces/is-namespace-known.ts'
import { boundsOf } from '../../../db/kernel/namespaces/bounds.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'

/** A caller whose credential was checked. */
export interface CaptureCaller {
  readonly op: Operation
  readonly principal: Principal
}

/** Returns who calls: the scopes of the credential, and the role of its member. */
export async function identityOf({ op, principal }: CaptureCaller): Promise<CaptureIdentity> {
  return { scopes: principal.scopes, role: await roleOf(op, principal) }
}

/**
 * Requires an action of the policy, in a namespace where the call names one. Throws `insufficient_scope`, and `forbidden`
 * for a role that is too low and for a team without the caller.
 */
export async function requireAccess(
  caller: CaptureCaller,
  action: CaptureAction,
  namespace: string | null = null,
): Promise<void> {
  const decision = decideAccess(await identityOf(caller), action, namespace)
  if (!decision.isAllowed) throw refusalOf(decision)
}

/**
 * Requires a namespace that a call names: one in which a call was captured, or that has settings. Throws `not_found`, also
 * for one outside of the caller's. The default namespace always exists.
 */
export async function requireKnownNamespace(op: Operation, namespace: string | undefined): Promise<void> {
  if (namespace === undefined) return
  const bounds = boundsOf(op)
  const isOutside = bounds !== null && !bounds.includes(namespace)
  if (!isOutside && (namespace === DEFAULT_NAMESPACE || (await isNamespaceKnown(op, namespace)))) return
  throw KERNEL_ERRORS.not_found(`there is no namespace ${namespace}; it exists once a call was captured in it`)
}

function refusalOf(decision: Exclude<AccessDecision, { readonly isAllowed: true }>) {
  const { reason } = decision
  switch (reason) {
    case 'insufficient_role': {
      const { requiredRole, memberRole } = decision
      return ACCOUNTS_ERRORS.forbidden(`this needs the role ${requiredRole}; yours is ${memberRole}`, {
        details: { reason, required_role: requiredRole, member_role: memberRole },
      })
    }
    case 'insufficient_scope': {
      const { acceptedScopes } = decision
      return KERNEL_ERRORS.insufficient_scope(`this needs one of the scopes ${acceptedScopes.join(', ')}`, {
        details: { reason, required: acceptedScopes[0], accepted_scopes: acceptedScopes },
      })
    }
    case 'namespace_not_allowed': {
      const { namespace } = decision
      return KERNEL_ERRORS.insufficient_scope(`this key is not for the namespace ${namespace}`, {
        details: { reason, required: `namespace:${namespace}` },
      })
    }
    case 'team_membership_required': {
      return ACCOUNTS_ERRORS.forbidden('you are not a member of the team that this key works for', {
        details: { reason },
      })
    }
    case 'unknown_action': {
      throw new Error(`no such action; the policy has ${Object.keys(CAPTURE_ACTIONS).join(', ')}`)
    }
  }
}

/**
 * The role of a caller. A credential that may do everything in no team acts as the owner, and so does a workspace without
 * members.
 */
async function roleOf(op: Operation, { memberId, teamId, scopes, tenantId }: Principal): Promise<Role | null> {
  if (memberId === null || (teamId === null && scopes.includes('*'))) return 'owner'
  return teamId === null
    ? await findRole(op, tenantId, memberId)
    : await findTeamRole(op, { tenantId, memberId, teamId })
}
