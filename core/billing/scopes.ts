import type { Scope as AccountsScope } from '../accounts/scopes.ts'

/** Scopes of plans and payment, each with its sentence. */
export const BILLING_SCOPES = {
  'billing:read': 'Read the plan, the usage and the invoices',
  'billing:write': 'Change the plan, the payment and the tax fields',
} as const

/** A scope of this area or of one below it. */
export type Scope = AccountsScope | keyof typeof BILLING_SCOPES
