/** Audit actions of receipt secrets, the master key and the ledger itself. */
export const LEDGER_ACTIONS = [
  'receipt_secret.rotated',
  'receipt_secret.pruned',
  'master_key.rotated',
  'audit.pruned',
  'admin.action',
] as const
