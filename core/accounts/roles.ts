import { SCOPES, type Scope } from '../scopes.ts'

/** Roles in a tenant or a team, lowest first; each includes the permissions of those before it. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const
/** One of them. */
export type Role = (typeof ROLES)[number]

/** Scopes of an anonymous workspace's token: try the service, and claim the workspace. */
export const ANONYMOUS_SCOPES = [
  'account:read',
  'account:write',
  'compile:read',
  'compile:write',
  'run',
  'gateway:call',
  'conversations:read',
  'conversations:write',
  'concepts:read',
  'concepts:write',
  'artifacts:read',
  'artifacts:export',
  'documents:read',
  'documents:write',
  'eval:read',
  'eval:write',
] as const satisfies readonly Scope[]

/** Families that only administrators of the account may read. */
const CONFIDENTIAL = /^(account:keys|audit|identity|billing|receipts|metrics):/

const VIEWER: readonly string[] = SCOPES.filter((scope) => scope.endsWith(':read') && !CONFIDENTIAL.test(scope))
const MEMBER: readonly string[] = [
  ...VIEWER,
  'run',
  'gateway:call',
  'compile:write',
  'concepts:write',
  'artifacts:write',
  'artifacts:export',
  'documents:write',
  'datasets:write',
  'eval:write',
  'distill:write',
  'cloud:write',
  'capture:write',
  'conversations:write',
  'control:write',
  'provider_keys:write',
  // Their permissions in a team follow from their role in it.
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
  'lake:export',
  'privacy:write',
]

const SCOPES_OF = { viewer: VIEWER, member: MEMBER, admin: ADMIN, owner: ['*'] } satisfies Record<
  Role,
  readonly string[]
>

/** The scopes of a member's session that no key opened. */
export function scopesOfRole(role: Role): readonly string[] {
  return SCOPES_OF[role]
}

/** Returns true when the role includes the permissions of the required one. */
export function atLeast(role: Role, wanted: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(wanted)
}
