import { atLeast, type Role } from '../../accounts/roles.ts'
import { grantsNamespace, grantsScope } from '../../kernel/scopes.ts'

/** An action on captures: the least role that may do it, and the scopes of which a key needs one. */
export interface ActionRule {
  readonly role: Role
  readonly scopes: readonly [string, ...string[]]
}

/** The policy of captures. A scope's family (`capture:*`) and `*` count as the scope does. */
export const CAPTURE_ACTIONS = {
  'capture:read': { role: 'viewer', scopes: ['capture:read', 'lake:read'] },
  'capture:write': { role: 'member', scopes: ['capture:write'] },
  'capture:stream': { role: 'viewer', scopes: ['capture:stream', 'capture:read'] },
  'lake:export': { role: 'admin', scopes: ['lake:export'] },
  'namespace:admin': { role: 'admin', scopes: ['namespace:admin', 'team:admin'] },
  'privacy:configure': { role: 'admin', scopes: ['privacy:write', 'team:admin'] },
} as const satisfies Readonly<Record<string, ActionRule>>
/** The name of one of them. */
export type CaptureAction = keyof typeof CAPTURE_ACTIONS

/** The roles with their ranks, as the policy publishes them. */
export const ROLE_RANKS: Readonly<Record<Role, number>> = { viewer: 10, member: 20, admin: 30, owner: 40 }

/** The asking caller: proved by a credential, never claimed. */
export interface CaptureIdentity {
  readonly scopes: readonly string[]
  /** In the team that the key works for, else in the organisation; null for someone outside of the team. */
  readonly role: Role | null
}

/** Why an action is refused, in the order in which it is checked. */
export type AccessRefusal =
  | { readonly reason: 'unknown_action' }
  | { readonly reason: 'team_membership_required' }
  | { readonly reason: 'insufficient_role'; readonly requiredRole: Role; readonly memberRole: Role }
  | { readonly reason: 'insufficient_scope'; readonly acceptedScopes: readonly string[] }
  | { readonly reason: 'namespace_not_allowed'; readonly namespace: string }

/** A decision on an action. */
export type AccessDecision =
  | { readonly isAllowed: true; readonly matchedScope: string }
  | ({ readonly isAllowed: false } & AccessRefusal)

/** Decides on an action in a namespace; `namespace` is null for all that the identity reaches. */
export function decideAccess(identity: CaptureIdentity, action: string, namespace: string | null): AccessDecision {
  if (!isCaptureAction(action)) return { isAllowed: false, reason: 'unknown_action' }
  const { role: requiredRole, scopes }: ActionRule = CAPTURE_ACTIONS[action]
  const { role, scopes: held } = identity
  if (role === null) return { isAllowed: false, reason: 'team_membership_required' }
  if (!atLeast(role, requiredRole)) {
    return { isAllowed: false, reason: 'insufficient_role', requiredRole, memberRole: role }
  }
  const matched = held.find((own) => scopes.some((scope) => grantsScope([own], scope)))
  if (matched === undefined) {
    return { isAllowed: false, reason: 'insufficient_scope', acceptedScopes: acceptedScopes(action) }
  }
  if (namespace !== null && !grantsNamespace(held, namespace)) {
    return { isAllowed: false, reason: 'namespace_not_allowed', namespace }
  }
  return { isAllowed: true, matchedScope: matched }
}

/** The scopes that an action takes, with their families. */
export function acceptedScopes(action: CaptureAction): readonly string[] {
  const { scopes }: ActionRule = CAPTURE_ACTIONS[action]
  return [...new Set([...scopes, ...scopes.map((scope) => `${scope.split(':')[0] ?? scope}:*`), '*'])]
}

/** Narrows a text to the name of an action. */
export function isCaptureAction(text: string): text is CaptureAction {
  return Object.hasOwn(CAPTURE_ACTIONS, text)
}
