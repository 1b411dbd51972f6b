import { SCOPES, type Scope } from '../scopes.ts'

/** What a member of a tenant, or of a team, may be; each may do what those before it may. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const
/** One of them. */
export type Role = (typeof ROLES)[number]

/** What the token of an anonymous workspace may do: try the service, and claim the workspace. */
export const ANONYMOUS_SCOPES = [
  'account:read',
  'account:write',
  'compile:read',
  'compile:write',
  'run',
  'concepts:read',
  'concepts:write',
  'artifacts:read',
  'artifacts:export',
] as const satisfies readonly Scope[]

/** Families whose reading is for those who run the account. */
const CONFIDENTIAL = /^(account:keys|audit|identity|billing|receipts|metrics):/

const VIEWER: readonly string[] = SCOPES.filter((scope) => scope.endsWith(':read') && !CONFIDENTIAL.test(scope))
const MEMBER: readonly string[] = [
  ...VIEWER,
  'run',
  'compile:write',
  'concepts:write',
  'artifacts:export',
  'capture:write',
  'control:write',
  'provider_keys:write',
  // What they may do to a team follows from their role in it.
  'team:write',
]
const ADMIN: readonly string[] = [
  ...MEMBER,
  'account:write',
  'account:keys:read',
  'account:keys:write',
  'team:*',
  'audit:*',
  'identity:*',
  'billing:*',
  'receipts:*',
  'metrics:*',
]

const SCOPES_OF = { viewer: VIEWER, member: MEMBER, admin: ADMIN, owner: ['*'] } satisfies Record<
  Role,
  readonly string[]
>

/** The scopes of a member's session that no key opened. */
export function scopesOfRole(role: Role): readonly string[] {
  return SCOPES_OF[role]
}

/** True when the role may do what the wanted one may. */
export function atLeast(role: Role, wanted: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(wanted)
}
