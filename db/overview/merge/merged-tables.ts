/**
 * What becomes of the rows of an anonymous workspace when it is merged into another tenant, table by table. Every table
 * that has a tenant stands in one of the two lists; a test compares them with the database.
 */

/** Rows that belong to the other tenant afterwards, in the order in which they are moved. */
export const MOVED_TABLES = [
  'concepts',
  'compile_jobs',
  'versions',
  'artifacts',
  'evidence_nodes',
  'exports',
  'invocation_stats',
  'quota_reservations',
  'teacher_rounds',
  'teacher_samples',
  'share_links',
  'control_events',
  'export_declarations',
  'adapter_manifests',
  'usage_days',
] as const

/** One of them. */
export type MovedTable = (typeof MOVED_TABLES)[number]

/** Rows that stay where they are, and why. */
export const STAYING_TABLES: Readonly<Record<string, string>> = {
  api_keys: 'the token of the workspace ends with it; keys of the other tenant are never touched',
  sessions: 'they were opened with the token and end with it',
  audit_entries: 'a ledger is chained per tenant; both get a line about the merge',
  audit_heads: 'the end of that chain',
  audit_pending: 'lines on their way into that chain',
  audit_checkpoints: 'signed for that chain',
  build_receipts: 'left of tenants that are no more',
  receipt_secrets: 'receipts that were made with them still verify: they are found by their own id',
  call_totals: 'counters of what the workspace did; those of the other tenant do not jump',
  unit_totals: 'counters of what the workspace did; those of the other tenant do not jump',
  quota_periods: 'the workspace had a quota of its own, and the other tenant pays nothing for it',
  quota_leases: 'parts of that quota',
  tenant_storage: 'the rows are counted again where they are moved to',
  blob_uploads: 'bytes on their way to a job of the workspace; its token has ended',
  unpaid_compute: 'the workspace had an allowance of its own, which ends with it',
  idempotency_keys: 'answers to calls with the token that has ended',
  outbox: 'empty while no job is unfinished, and a workspace with such a job is not merged',
  workflow_starts: 'what is under way for the workspace itself',
  snoozes: 'a choice about the list of the workspace, not about its work',
  members: 'an anonymous workspace has none',
  teams: 'an anonymous workspace has none',
  team_members: 'an anonymous workspace has none',
  invitations: 'an anonymous workspace has none',
  external_identities: 'an anonymous workspace has none',
  login_attempts: 'an anonymous workspace has no identity provider',
  consumed_assertions: 'an anonymous workspace has no identity provider',
  sso_configs: 'an anonymous workspace has no identity provider',
  provider_keys: 'sealed for the workspace; its token may not store any',
  mails: 'an anonymous workspace has no address',
  mail_tokens: 'an anonymous workspace has no address',
  billing_accounts: 'an anonymous workspace pays nothing',
  subscriptions: 'an anonymous workspace pays nothing',
  checkout_sessions: 'an anonymous workspace pays nothing',
  invoices: 'an anonymous workspace pays nothing',
  refunds: 'an anonymous workspace pays nothing',
  payment_events: 'an anonymous workspace pays nothing',
  dunnings: 'an anonymous workspace pays nothing',
}
