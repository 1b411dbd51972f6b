/** One list of an export: which rows of a tenant, and which of their columns leave. */
export interface ExportSection {
  /** What the list is called. */
  readonly name: string
  readonly table: string
  /** The columns that leave, each of them named here: a column that is added later stays until somebody adds it. */
  readonly columns: readonly string[]
  /** The columns by which rows are put in order and read on from: unique in a tenant, and the order of an index. */
  readonly key: readonly string[]
  /** Columns that are worked out, by name. */
  readonly computed?: Readonly<Record<string, string>>
  /** For rows that name no tenant: the table of the tenant's that they belong to, by the first column of the key. */
  readonly of?: 'compile_jobs' | 'artifacts'
}

const BY_TIME = ['created_at', 'id']

const section = (
  name: string,
  table: string,
  columns: string,
  key: readonly string[] = BY_TIME,
  more: Pick<ExportSection, 'computed' | 'of'> = {},
): ExportSection => ({ name, table, columns: columns.split(/\s+/), key, ...more })

/** What leaves of the tenant's own row. */
export const TENANT_COLUMNS = `id name kind email is_email_verified plan pending_plan granted_plan billing_status
  quota_override settings trial_ends_at expires_at created_at`.split(/\s+/)

/** Everything that a tenant takes along, in the order of the document. */
export const EXPORT_SECTIONS: readonly ExportSection[] = [
  section(
    'members',
    'members',
    'id email display_name role state source external_id scim is_email_verified created_at updated_at deactivated_at',
  ),
  section('identities', 'external_identities', 'provider subject member_id email created_at last_used_at', [
    'provider',
    'subject',
  ]),
  section(
    'sessions',
    'sessions',
    'id auth_method source_key_id member_id ip user_agent created_at last_seen_at expires_at ends_at closed_at',
  ),
  section('teams', 'teams', 'id slug name source external_id created_at updated_at member_removed_at', ['slug']),
  section('team_members', 'team_members', 'team_id member_id role created_at', ['team_id', 'member_id']),
  section(
    'invitations',
    'invitations',
    'id team_id email role invited_by created_at expires_at accepted_at accepted_by revoked_at',
  ),
  section(
    'keys',
    'api_keys',
    'id kind member_id team_id scopes label created_at expires_at revoked_at last_used_at',
    BY_TIME,
    {
      computed: {
        prefix: `case kind when 'anonymous' then 'kao_' when 'scim' then 'scim_' else 'ks_' end || lookup_id`,
      },
    },
  ),
  section(
    'provider_keys',
    'provider_keys',
    'id scope holder_id member_id team_id provider label prefix created_at updated_at last_used_at',
    ['scope', 'holder_id', 'provider'],
  ),
  section('receipt_secrets', 'receipt_secrets', 'id state created_at retired_at pruned_at'),
  section(
    'sso',
    'sso_configs',
    `tenant_id provider is_enabled domains metadata_url metadata_sha256 idp_entity_id sso_url idp_certs oidc_issuer
     oidc_client_id saml_audience default_role is_jit group_roles is_scim_enabled created_at updated_at`,
    ['tenant_id'],
  ),
  section(
    'concepts',
    'concepts',
    'id name description tags visibility version_count head_version_id created_at updated_at deleted_at',
    ['id'],
  ),
  section(
    'versions',
    'versions',
    'id concept_id number semver job_id parent_version_id recipe_kind k_score size_bytes created_at deleted_at',
  ),
  section(
    'jobs',
    'compile_jobs',
    `id task base_model k_score_floor spec dataset_hash row_count status stage progress concept_id version_id k_score
     evaluation failing_rows error_code error_message cost_usd_micros compute_ms created_at admitted_at started_at finished_at`,
  ),
  section(
    'artifacts',
    'artifacts',
    `id concept_id version_id name state recipe_kind base_model archive_sha256 size_bytes cid manifest_hash signature
     eval_set_hash k_score holdout_count manifest receipt evaluation created_at signed_at expires_at revoked_at
     revoked_reason`,
  ),
  section('job_events', 'job_events', 'job_id seq kind body at', ['job_id', 'seq'], { of: 'compile_jobs' }),
  section('evidence', 'evidence_nodes', 'artifact_id position node_id kind facts', ['artifact_id', 'position'], {
    of: 'artifacts',
  }),
  section(
    'evidence_edges',
    'evidence_edges',
    'artifact_id position from_node to_node relationship',
    ['artifact_id', 'position'],
    { of: 'artifacts' },
  ),
  section(
    'exports',
    'exports',
    `id artifact_id target quant part destination state error_code error_message result_hash size_bytes file_name
     media_type created_at started_at finished_at expires_at`,
  ),
  section(
    'invocations',
    'invocation_stats',
    `version_id hour concept_id calls cache_hits failures latency_sum_us buckets prompt_tokens new_tokens generation_us
     last_at`,
    ['hour', 'version_id'],
  ),
  section('observations', 'control_events', 'id source_id namespace envelope content receipt at', ['at', 'id']),
  section('adapter_manifests', 'adapter_manifests', 'id adapter_id version hash manifest report created_at', [
    'adapter_id',
    'version',
  ]),
  section('export_declarations', 'export_declarations', 'id destination_id destination_class state ledger created_at'),
  section('share_links', 'share_links', 'id kind target_id created_by created_at expires_at revoked_at opened_count'),
  section('snoozes', 'snoozes', 'dismiss_key until created_at', ['dismiss_key']),
  section('mails', 'mails', 'id recipient template state error_code created_at sent_at', ['id']),
  section('quota', 'quota_periods', 'period used_units notice_percent', ['period']),
  section('unpaid_compute', 'unpaid_compute', 'day used_ms', ['day']),
  section('usage', 'usage_days', 'day unit namespace team_id member_id quantity cost_usd_micros latency_sum_us', [
    'day',
    'unit',
    'namespace',
    'team_id',
    'member_id',
  ]),
  section(
    'billing',
    'billing_accounts',
    'tenant_id customer_id vat_number tax_id company_name country_code credit_balance_cents updated_at',
    ['tenant_id'],
  ),
  section(
    'subscriptions',
    'subscriptions',
    `id customer_id plan price_id status started_at current_period_end is_cancel_at_period_end ends_at end_pushed_at
     updated_at`,
    ['id'],
  ),
  section(
    'checkouts',
    'checkout_sessions',
    'id plan source payment_status customer_id subscription_id created_at completed_at',
  ),
  section(
    'invoices',
    'invoices',
    `id kind number amount_paid_cents currency status customer_id subscription_id charge_id payment_intent_id
     hosted_invoice_url invoice_pdf period_start period_end description first_failed_at last_failed_at paid_at
     created_at`,
  ),
  section(
    'refunds',
    'refunds',
    'id charge_id payment_intent_id processor_id amount_cents reason state created_at finished_at',
    ['id'],
  ),
  section(
    'dunnings',
    'dunnings',
    'id subscription_id invoice_id attempt state next_step_at first_failed_at last_failed_at suspended_at resolved_at',
    ['id'],
  ),
  section('audit', 'audit_entries', 'seq id at actor action target request_id payload key_id prev_hash hash', ['seq']),
  section('audit_checkpoints', 'audit_checkpoints', 'seq id hash at kid signature plan pruned_through_at', ['seq']),
]
