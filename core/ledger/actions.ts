/** Audit actions of receipt secrets, the master key and the ledger itself. Each with its words for people, which follow the actor. */
export const LEDGER_ACTIONS = {
  'receipt_secret.rotated': 'replaced the receipt secret',
  'receipt_secret.pruned': 'removed an old receipt secret',
  'master_key.rotated': 'replaced the master key',
  'audit.pruned': 'removed audit lines past their retention',
  'admin.action': 'called an admin route',
} as const
