/**
 * What becomes of the rows of a tenant that is no more, table by table. Every table that has a tenant stands in one of
 * the two lists; a test compares them with the database.
 */

/** A table whose rows go, and the condition that finds those of the tenant `$1`. */
export interface Removal {
  readonly table: string
  readonly where: string
}

const OF_TENANT = 'tenant_id = $1'
const OF_ARTIFACTS = 'artifact_id in (select id from artifacts where tenant_id = $1)'
const OF_JOBS = 'job_id in (select id from compile_jobs where tenant_id = $1)'

/** Rows that go, in an order that foreign keys allow. */
export const REMOVALS: readonly Removal[] = [
  { table: 'share_links', where: OF_TENANT },
  { table: 'exports', where: OF_TENANT },
  { table: 'invocation_stats', where: OF_TENANT },
  { table: 'evidence_edges', where: OF_ARTIFACTS },
  { table: 'evidence_nodes', where: OF_TENANT },
  { table: 'artifacts', where: OF_TENANT },
  { table: 'versions', where: OF_TENANT },
  { table: 'concepts', where: OF_TENANT },
  { table: 'teacher_samples', where: OF_TENANT },
  { table: 'teacher_rounds', where: OF_TENANT },
  { table: 'training_records', where: OF_JOBS },
  { table: 'job_events', where: OF_JOBS },
  { table: 'job_stages', where: OF_JOBS },
  { table: 'outbox', where: OF_TENANT },
  { table: 'quota_reservations', where: OF_TENANT },
  { table: 'compile_jobs', where: OF_TENANT },
  { table: 'control_events', where: OF_TENANT },
  { table: 'export_declarations', where: OF_TENANT },
  { table: 'adapter_manifests', where: OF_TENANT },
  { table: 'idempotency_keys', where: OF_TENANT },
  { table: 'usage_days', where: OF_TENANT },
  { table: 'quota_leases', where: OF_TENANT },
  { table: 'quota_periods', where: OF_TENANT },
  { table: 'tenant_storage', where: OF_TENANT },
  { table: 'unpaid_compute', where: OF_TENANT },
  { table: 'snoozes', where: OF_TENANT },
  { table: 'sessions', where: OF_TENANT },
  { table: 'provider_keys', where: OF_TENANT },
  // The token of an expired workspace goes on being answered as one.
  { table: 'api_keys', where: `${OF_TENANT} and kind <> 'anonymous'` },
  { table: 'external_identities', where: OF_TENANT },
  { table: 'consumed_assertions', where: OF_TENANT },
  { table: 'login_attempts', where: OF_TENANT },
  { table: 'sso_configs', where: OF_TENANT },
  { table: 'mail_tokens', where: OF_TENANT },
  { table: 'mails', where: OF_TENANT },
  { table: 'invitations', where: OF_TENANT },
  { table: 'team_members', where: OF_TENANT },
  { table: 'teams', where: OF_TENANT },
  { table: 'members', where: OF_TENANT },
]

/** Rows that stay, and why. */
export const KEPT_TABLES: Readonly<Record<string, string>> = {
  build_receipts: 'what is left of artifacts, so that those who have one can have it verified',
  receipt_secrets: 'receipts that others have are verified with them',
  audit_entries: 'the ledger says what was done, by ids; its lines go when their own time is over',
  audit_heads: 'the end of that ledger',
  audit_pending: 'lines on their way into that ledger',
  audit_checkpoints: 'signed for that ledger',
  billing_accounts: 'who the invoices were written to',
  invoices: 'books are kept as long as the law wants',
  refunds: 'part of the books',
  subscriptions:
    'part of the books; a late word of the payment processor finds its tenant by them, and ends them again',
  checkout_sessions: 'part of the books; a payment that comes late finds its tenant by them',
  dunnings: 'part of the books',
  payment_events: 'messages of the payment processor, which go when their own time is over',
  call_totals: 'numbers alone; without them the counters of the service would fall',
  unit_totals: 'numbers alone; without them the counters of the service would fall',
  workflow_starts: 'work that is under way, which goes when it is done',
  blob_uploads: 'bytes on their way, which are collected within minutes',
}
