/** Scopes of the account as a whole, and of metrics. */
export const OVERVIEW_SCOPES = ['account:export', 'account:delete', 'metrics:read'] as const
