/** Scopes of receipts and of the audit log, each with its sentence. */
export const LEDGER_SCOPES = {
  'receipts:read': 'List the receipt secrets, without their values',
  'receipts:write': 'Rotate and destroy receipt secrets',
  'audit:read': 'Read and verify the audit log',
} as const

/** A scope of this area. */
export type Scope = keyof typeof LEDGER_SCOPES
