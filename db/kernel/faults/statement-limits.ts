/** Settings of every connection: a process that hangs or loses its network must not hold locks forever. */
export const STATEMENT_LIMITS = {
  statement_timeout: 60_000,
  idle_in_transaction_session_timeout: 60_000,
  query_timeout: 70_000,
} as const
