import type { Scope as LedgerScope } from '../ledger/scopes.ts'

/** Scopes of accounts, keys, identity, teams, namespaces and hooks. */
export const ACCOUNTS_SCOPES = [
  'account:read',
  'account:write',
  'account:keys:read',
  'account:keys:write',
  'identity:read',
  'identity:write',
  'team:read',
  'team:write',
  'team:admin',
  'webhook:read',
  'webhook:write',
  'namespace:admin',
] as const

/** A scope of this area or of one below it. */
export type Scope = LedgerScope | (typeof ACCOUNTS_SCOPES)[number]
