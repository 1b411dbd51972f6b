/** Scopes of receipts and of the audit ledger. */
export const LEDGER_SCOPES = ['receipts:read', 'receipts:write', 'audit:read'] as const

/** A scope of this area. */
export type Scope = (typeof LEDGER_SCOPES)[number]
