import type { LimitName } from '../../../core/tenancy/limits.ts'

/** The file that reads a limit, and the test that moves it and looks at what becomes of it, where there is one. */
interface Place {
  readonly reads: string
  readonly movedBy?: string
}

/** The limits whose effect takes hours, gigabytes or a stranger's server to see. */
export const PLACES: Readonly<Partial<Record<LimitName, Place>>> = {
  failed_keys_per_ip_minute: { reads: 'api/kernel/guard/identify.ts', movedBy: 'test/api/use/rates.test.ts' },
  mails_per_address_hour: { reads: 'db/mails/address-limit.ts' },
  claim_guesses_per_ip_15min: { reads: 'api/routes/identity/anonymous.ts', movedBy: 'test/api/identity/claim.test.ts' },
  upload_bytes: { reads: 'api/compile/upload.ts', movedBy: 'test/api/compile/uploads.test.ts' },
  sync_compile_wait_s: { reads: 'api/compile/wait.ts', movedBy: 'test/api/compile/compile.test.ts' },
  synthesis_budget_ms: { reads: 'activities/compile/k-sample.ts' },
  rows_used_per_compile: { reads: 'activities/compile/stage-data.ts' },
  trainer_memory_bytes: { reads: 'activities/compile/adapter/train-here.ts' },
  trainer_threads: {
    reads: 'activities/compile/adapter/train-here.ts',
    movedBy: 'test/activities/checkpoints.test.ts',
  },
  trainer_checkpoint_s: {
    reads: 'activities/compile/adapter/train-here.ts',
    movedBy: 'test/activities/checkpoints.test.ts',
  },
  trainer_absent_s: {
    reads: 'activities/compile/adapter/watch-trainer.ts',
    movedBy: 'test/workers/trainer-compile.test.ts',
  },
  idempotency_hours: { reads: 'db/idempotency/claims.ts' },
  stage_result_days: { reads: 'activities/reconcile/sweep-expired.ts' },
  dataset_days: { reads: 'activities/reconcile/sweep-expired.ts' },
  export_days: { reads: 'activities/export/write-export.ts' },
  payment_event_days: { reads: 'activities/reconcile/sweep-expired.ts' },
  unfinished_exports_per_tenant: {
    reads: 'db/exports/create-export.ts',
    movedBy: 'test/api/compile/exports.test.ts',
  },
  session_absolute_days: { reads: 'db/sessions/open-session.ts', movedBy: 'test/db/people/accounts.test.ts' },
  key_cache_s: { reads: 'db/keys/authentication/authenticator.ts', movedBy: 'test/api/identity/sessions.test.ts' },
  scoped_keys_per_tenant: { reads: 'db/keys/mint-scoped-key.ts', movedBy: 'test/api/keys/scoped-keys.test.ts' },
  receipt_secrets_per_tenant: {
    reads: 'db/receipt-secrets/rotate-secret.ts',
    movedBy: 'test/api/keys/receipt-secrets.test.ts',
  },
  verify_token_hours: { reads: 'db/tenants/verification/verify-email.ts' },
  login_attempt_minutes: { reads: 'db/sso/login-attempts.ts' },
  saml_skew_s: { reads: 'api/routes/sso/saml.ts' },
  teams_per_tenant: { reads: 'db/teams/create-team.ts', movedBy: 'test/api/orgs/teams.test.ts' },
  control_event_days: { reads: 'activities/reconcile/sweep-expired.ts', movedBy: 'test/api/operator/control.test.ts' },
  adapter_manifests_per_tenant: {
    reads: 'db/control/store-manifest.ts',
    movedBy: 'test/api/operator/control.test.ts',
  },
  declared_exports_per_tenant: {
    reads: 'db/control/declare-export.ts',
    movedBy: 'test/api/operator/control.test.ts',
  },
  webhook_tolerance_s: { reads: 'api/server.ts' },
  compliance_zip_bytes: {
    reads: 'db/account/compliance/build-package.ts',
    movedBy: 'test/api/account/compliance-package.test.ts',
  },
  loaded_recipes: { reads: 'api/run/recipe-cache.ts' },
  loaded_recipe_bytes: { reads: 'api/run/recipe-cache.ts' },
  bases_memory_bytes: { reads: 'api/server.ts', movedBy: 'test/api/compile/run-adapters.test.ts' },
  base_idle_s: { reads: 'api/server.ts' },
  base_queue: { reads: 'api/server.ts', movedBy: 'test/api/compile/run-adapters.test.ts' },
  sse_connections_per_tenant: { reads: 'api/routes/compile/stream.ts' },
  preview_concurrency: { reads: 'api/previews.ts' },
  page_files_per_ip_minute: {
    reads: 'api/kernel/guard/public-limits.ts',
    movedBy: 'test/holes/public-limits.test.ts',
  },
  connections_per_ip: { reads: 'api/server.ts', movedBy: 'test/holes/slow-bodies.test.ts' },
  body_silence_s: { reads: 'api/kernel/connections/slow-bodies.ts', movedBy: 'test/holes/slow-bodies.test.ts' },
  body_bytes_per_s: { reads: 'api/kernel/connections/slow-bodies.ts', movedBy: 'test/holes/slow-bodies.test.ts' },
  spool_bytes: { reads: 'api/server.ts' },
  storage_check_s: { reads: 'api/storage-watch.ts', movedBy: 'test/holes/low-disk.test.ts' },
  short_turn_ms: { reads: 'core/compute/compute-slots.ts', movedBy: 'test/holes/fair-compute.test.ts' },
  fit_turn_s: { reads: 'core/compute/compute-slots.ts', movedBy: 'test/holes/fair-compute.test.ts' },
  inline_body_parts: { reads: 'api/kernel/bind.ts' },
  json_parts: { reads: 'api/kernel/route.ts' },
  public_json_parts: { reads: 'api/kernel/route.ts' },
  held_body_bytes: { reads: 'api/intake/intake.ts' },
  upload_spec_bytes: { reads: 'api/compile/upload.ts' },
}
