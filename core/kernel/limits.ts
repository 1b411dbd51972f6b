import { z } from 'zod'
import { perPlan } from './tenant/plans.ts'

/** Every limit of the service, with its default. Units stand in the names. `SVC_LIMITS` overrides entries. */
export const DEFAULT_LIMITS = {
  signups_per_ip_day: 10,
  anon_per_ip_day: 50,
  signins_per_ip_5min: 30,
  previews_per_ip_minute: 30,
  registry_exports_per_ip_minute: 60,
  planning_calls_per_ip_minute: 60,
  probes_per_ip_minute: 6000,
  documents_per_ip_minute: 1200,
  checks_per_ip_minute: 600,
  webhooks_per_ip_minute: 6000,
  page_files_per_ip_minute: 6000,
  connections_per_ip: 512,
  body_silence_s: 15,
  body_bytes_per_s: 8 * 1024,
  requests_per_tenant_minute: 300_000,
  failed_keys_per_ip_minute: 60,
  waitlist_per_ip_hour: 10,
  invites_per_ip_15min: 60,
  mails_per_ip_15min: 5,
  mails_per_address_hour: 5,
  claim_guesses_per_ip_15min: 20,

  ...perPlan('quota', (plan) => plan.quota),
  quota_anonymous: 1000,
  quota_units_per_compile: 10,
  quota_units_per_run: 1,
  quota_units_per_event: 1,

  ...perPlan('running_jobs', (plan) => plan.runningJobs),

  stored_bytes_anonymous: 64 * 1024 * 1024,
  ...perPlan('stored_bytes', (plan) => plan.storedBytes),
  spool_bytes: 4 * 1024 * 1024 * 1024,
  storage_reserve_bytes: 1536 * 1024 * 1024,
  storage_reserve_percent: 25,
  storage_resume_percent: 125,
  storage_check_s: 2,
  compute_weight_anonymous: 1,
  ...perPlan('compute_weight', (plan) => plan.computeWeight),
  unpaid_compute_s_day_anonymous: 1800,
  ...perPlan('unpaid_compute_s_day', (plan) => plan.unpaidComputeSPerDay),
  short_turn_ms: 1500,
  fit_turn_s: 60,

  task_chars: 4000,
  inline_examples: 10_000,
  inline_body_bytes: 16 * 1024 * 1024,
  inline_body_parts: 500_000,
  upload_rows: 1_000_000,
  upload_bytes: 1024 * 1024 * 1024,
  example_bytes: 10 * 1024,
  unlabelled_inputs: 1000,
  json_body_bytes: 1024 * 1024,
  json_parts: 20_000,
  public_body_bytes: 64 * 1024,
  public_json_parts: 2000,
  saml_body_bytes: 512 * 1024,
  held_body_bytes: 96 * 1024 * 1024,
  json_depth: 64,
  preview_examples: 100,
  preview_seeds_bytes: 1024 * 1024,
  preview_spec_bytes: 64 * 1024,
  preview_body_bytes: 4 * 1024 * 1024,
  upload_spec_bytes: 64 * 1024,
  preview_rows: 1000,
  preview_cpu_ms: 5000,
  preview_concurrency: 2,
  run_input_bytes: 1024 * 1024,

  sync_compile_wait_s: 120,
  synthesis_budget_ms: 30_000,
  rows_used_per_compile: 50_000,
  trainer_memory_bytes: 6 * 1024 * 1024 * 1024,
  trainer_threads: 2,
  trainer_checkpoint_s: 30,
  trainer_absent_s: 600,
  idempotency_hours: 24,
  stage_result_days: 7,
  dataset_days: 90,
  export_days: 7,
  unfinished_exports_per_tenant: 20,
  session_days: 30,
  session_absolute_days: 90,
  key_cache_s: 60,
  scoped_keys_per_tenant: 200,
  provider_keys_per_tenant: 100,
  receipt_secrets_per_tenant: 100,
  sessions_listed: 100,
  anonymous_days: 30,
  mail_token_minutes: 15,
  verify_token_hours: 48,
  invitation_days: 14,
  login_attempt_minutes: 10,
  saml_skew_s: 300,
  scim_users: 2000,
  teams_per_tenant: 1000,
  share_link_days: 7,
  share_calls_per_ip_minute: 120,
  control_event_bytes: 64 * 1024,
  control_event_days: 90,
  adapter_manifests_per_tenant: 200,
  declared_exports_per_tenant: 10_000,
  deleted_tenant_days: 30,
  webhook_tolerance_s: 300,
  webhook_body_bytes: 4 * 1024 * 1024,
  payment_event_days: 90,
  dunning_days_1: 3,
  dunning_days_2: 4,
  dunning_days_3: 7,
  ...perPlan('audit_days', (plan) => plan.auditDays),
  compliance_zip_bytes: 64 * 1024 * 1024,
  run_cache_entries: 20_000,
  loaded_recipes: 512,
  loaded_recipe_bytes: 1024 * 1024 * 1024,
  bases_memory_bytes: 4 * 1024 * 1024 * 1024,
  base_idle_s: 900,
  base_queue: 256,
  list_page: 200,
  sse_connections_per_tenant: 50,
  sso_per_ip_5min: 600,
} as const

/** Name of a limit. */
export type LimitName = keyof typeof DEFAULT_LIMITS
/** The limits in force. */
export type Limits = Readonly<Record<LimitName, number>>

const names = Object.keys(DEFAULT_LIMITS)

const Overrides = z
  .record(z.string(), z.number({ error: 'must be a number' }).nonnegative({ error: 'must not be negative' }))
  .refine((given) => Object.keys(given).every((name) => names.includes(name)), {
    error: (issue) => {
      const given = typeof issue.input === 'object' && issue.input !== null ? Object.keys(issue.input) : []
      return `unknown limits: ${given.filter((name) => !names.includes(name)).join(', ')}`
    },
  })

/**
 * The limits in force: the defaults with the overrides of `SVC_LIMITS`, a JSON object from name to number.
 * Throws an `Error` that names each entry that is unknown or not a number, and for a text that is no JSON.
 */
export function resolveLimits(overrides: string | undefined): Limits {
  if (overrides === undefined || overrides === '') return DEFAULT_LIMITS
  const parsed = Overrides.safeParse(readJson(overrides))
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => [...path.map(String), message].join(' '))
    throw new Error(`SVC_LIMITS: ${problems.join('; ')}`)
  }
  return { ...DEFAULT_LIMITS, ...parsed.data }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('SVC_LIMITS: is no JSON', { cause: error })
  }
}
