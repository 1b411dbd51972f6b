import type { Scope as AccountsScope } from '../accounts/scopes.ts'

/** Scopes of plans and payment. */
export const BILLING_SCOPES = ['billing:read', 'billing:write'] as const

/** A scope of this area or of one below it. */
export type Scope = AccountsScope | (typeof BILLING_SCOPES)[number]
