import { Migration } from '@mikro-orm/migrations'

/** Row-level policies: a statement of one tenant reaches the rows of that tenant only. */
export class TenantPolicies extends Migration {
  override up(): void {
    for (const statement of [...PARTS, ...POLICIES]) this.addSql(statement)
  }
}

/** Rows that were reached through their parent row now name their tenant themselves. */
const PARTS = [
  ...ownTenant('job_stages', 'compile_jobs', 'job_id'),
  ...ownTenant('job_events', 'compile_jobs', 'job_id'),
  ...ownTenant('training_records', 'compile_jobs', 'job_id'),
  ...ownTenant('evidence_edges', 'artifacts', 'artifact_id'),
]

function ownTenant(table: string, whole: string, key: string): readonly string[] {
  return [
    `alter table "${table}" add "tenant_id" text null`,
    `update "${table}" part set "tenant_id" = w."tenant_id" from "${whole}" w where w."id" = part."${key}"`,
    `alter table "${table}" alter "tenant_id" set not null`,
  ]
}

/** Tables whose rows name their tenant. */
const OWNED = [
  'adapter_manifests',
  'api_keys',
  'artifacts',
  'audit_checkpoints',
  'audit_entries',
  'audit_heads',
  'audit_pending',
  'billing_accounts',
  'blob_uploads',
  'build_receipts',
  'call_totals',
  'checkout_sessions',
  'compile_jobs',
  'concepts',
  'consumed_assertions',
  'control_events',
  'dunnings',
  'evidence_edges',
  'evidence_nodes',
  'export_declarations',
  'exports',
  'external_identities',
  'idempotency_keys',
  'invitations',
  'invocation_stats',
  'invoices',
  'job_events',
  'job_stages',
  'login_attempts',
  'mail_tokens',
  'mails',
  'members',
  'outbox',
  'payment_events',
  'provider_keys',
  'quota_leases',
  'quota_periods',
  'quota_reservations',
  'receipt_secrets',
  'refunds',
  'sessions',
  'share_links',
  'snoozes',
  'sso_configs',
  'subscriptions',
  'teacher_rounds',
  'teacher_samples',
  'team_members',
  'teams',
  'tenant_storage',
  'training_records',
  'unit_totals',
  'unpaid_compute',
  'usage_days',
  'versions',
]

const POLICIES = [
  `create index "job_stages_tenant_id_index" on "job_stages" ("tenant_id")`,
  `create index "job_events_tenant_id_job_id_seq_index" on "job_events" ("tenant_id", "job_id", "seq")`,
  `create index "training_records_tenant_id_index" on "training_records" ("tenant_id")`,
  `create index "evidence_edges_tenant_id_artifact_id_position_index" on "evidence_edges" ("tenant_id", "artifact_id", "position")`,
  ...policy('tenants', 'id'),
  ...OWNED.flatMap((table) => policy(table, 'tenant_id')),
]

function policy(table: string, column: string): readonly string[] {
  return [
    `alter table "${table}" enable row level security`,
    `create policy "tenant" on "${table}" using (${column} = current_setting('svc.tenant'))`,
  ]
}
