import type { Scope as LedgerScope } from '../ledger/scopes.ts'

/** Scopes of accounts, keys, identity, teams, namespaces and hooks, each with its sentence. */
export const ACCOUNTS_SCOPES = {
  'account:read': 'Read the account, its settings and its sessions',
  'account:write': 'Change the settings of the account',
  'account:keys:read': 'List the API keys, without their secrets',
  'account:keys:write': 'Create, replace and revoke API keys',
  'identity:read': 'Read the state of single sign-on',
  'identity:write': 'Configure single sign-on and the SCIM token',
  'team:read': 'List the members and teams of the organisation',
  'team:write': 'Create and change teams, and invite people to them',
  'team:admin': 'Rename the organisation, invite and remove members, and change their roles',
  'webhook:read': 'List the webhooks',
  'webhook:write': 'Create, change and remove webhooks',
  'namespace:admin': 'Create and remove namespaces',
} as const

/** A scope of this area or of one below it. */
export type Scope = LedgerScope | keyof typeof ACCOUNTS_SCOPES
