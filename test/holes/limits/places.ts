import type { LimitName } from '../../../core/limits.ts'

/** The file that reads a limit, and the test that moves it and looks at what becomes of it, where there is one. */
interface Place {
  readonly reads: string
  readonly movedBy?: string
}

/** The limits whose effect takes hours, gigabytes or a stranger's server to see. */
export const PLACES: Readonly<Partial<Record<LimitName, Place>>> = {
  failed_keys_per_ip_minute: { reads: 'api/kernel/guard/identify.ts', movedBy: 'test/kernel/api/rates.test.ts' },
  mails_per_address_hour: { reads: 'db/accounts/mails/address-limit.ts' },
  claim_guesses_per_ip_15min: {
    reads: 'api/accounts/identity/anonymous.ts',
    movedBy: 'test/accounts/api/identity/claim.test.ts',
  },
  upload_bytes: { reads: 'api/compile/submit/upload.ts', movedBy: 'test/compile/api/files/uploads.test.ts' },
  workbook_bytes: { reads: 'api/compile/submit/received-file.ts' },
  workbook_inflated_bytes: { reads: 'api/compile/intake/workbooks.ts' },
  preview_file_bytes: { reads: 'api/compile/jobs/preview.ts' },
  run_batch_rows: {
    reads: 'api/compile/run/batch/open-session.ts',
    movedBy: 'test/compile/api/batches/batches.test.ts',
  },
  run_batch_bytes: { reads: 'api/compile/run/batch/receive-batch.ts' },
  run_batches_per_tenant: { reads: 'api/compile/run/batch/route.ts' },
  run_batch_days: { reads: 'db/compile/batches/run-batch.ts' },
  sync_compile_wait_s: { reads: 'api/compile/submit/wait.ts', movedBy: 'test/compile/api/compile.test.ts' },
  synthesis_budget_ms: { reads: 'activities/compile/compile/stages/sample-input.ts' },
  rows_used_per_compile: { reads: 'activities/compile/compile/stage-data.ts' },
  trainer_memory_bytes: { reads: 'activities/compile/compile/adapter/train-here.ts' },
  trainer_threads: {
    reads: 'activities/compile/compile/adapter/train-here.ts',
    movedBy: 'test/compile/activities/checkpoints.test.ts',
  },
  trainer_checkpoint_s: {
    reads: 'activities/compile/compile/adapter/train-here.ts',
    movedBy: 'test/compile/activities/checkpoints.test.ts',
  },
  rental_start_s: { reads: 'activities/compile/rental/watch-machine.ts' },
  rental_silent_s: { reads: 'activities/compile/rental/watch-machine.ts' },
  rental_settle_s: { reads: 'activities/compile/rental/rent-machine.ts' },
  rental_machines: { reads: 'activities/compile/rental/rent-machine.ts' },
  pools_per_tenant: { reads: 'api/learn/cloud/jobs/pools.ts', movedBy: 'test/learn/api/cloud-jobs.test.ts' },
  pool_lease_s: { reads: 'api/compile/rentals/lease.ts', movedBy: 'test/learn/workflows/cloud-jobs.test.ts' },
  pool_attempts: { reads: 'activities/compile/rental/find-pool-lease.ts' },
  pool_wait_s: { reads: 'activities/learn/cloud/begin-cloud-job.ts' },
  waiting_cloud_jobs_per_tenant: {
    reads: 'db/learn/cloud/submit-cloud-job.ts',
    movedBy: 'test/learn/api/cloud-jobs.test.ts',
  },
  trainer_upload_bytes: { reads: 'api/compile/rentals/door-files.ts' },
  trainer_absent_s: {
    reads: 'activities/compile/compile/adapter/watch-trainer.ts',
    movedBy: 'test/compile/workers/trainer-compile.test.ts',
  },
  transitions_per_artifact: {
    reads: 'db/compile/artifacts/life/move-artifact.ts',
    movedBy: 'test/compile/api/artifacts/life.test.ts',
  },
  datasets_per_tenant: { reads: 'db/learn/datasets/create-version.ts', movedBy: 'test/learn/db/datasets.test.ts' },
  versions_per_dataset: { reads: 'db/learn/datasets/create-version.ts', movedBy: 'test/learn/db/datasets.test.ts' },
  unfinished_datasets_per_tenant: {
    reads: 'db/learn/datasets/create-version.ts',
    movedBy: 'test/learn/db/datasets.test.ts',
  },
  dataset_rows: { reads: 'activities/learn/datasets/build-dataset.ts' },
  sync_dataset_wait_s: { reads: 'api/learn/datasets/answer-build.ts' },
  capture_days: {
    reads: 'activities/gateway/captures/keep-captures.ts',
    movedBy: 'test/gateway/workflows/capture-partitions.test.ts',
  },
  capture_inline_bytes: { reads: 'db/gateway/captures/writer/writer.ts' },
  capture_spill_bytes: { reads: 'db/gateway/captures/writer/writer.ts', movedBy: 'test/gateway/db/captures.test.ts' },
  capture_waiting_bytes: { reads: 'db/gateway/captures/writer/writer.ts', movedBy: 'test/gateway/db/captures.test.ts' },
  capture_streams_per_tenant: {
    reads: 'api/gateway/captures/stream.ts',
    movedBy: 'test/gateway/api/captures/rights.test.ts',
  },
  capture_exports_per_tenant: {
    reads: 'api/gateway/captures/exports.ts',
    movedBy: 'test/gateway/api/captures/rights.test.ts',
  },
  capture_uploads_per_tenant: {
    reads: 'api/gateway/captures/recording/media.ts',
    movedBy: 'test/gateway/api/captures/rights.test.ts',
  },
  capture_forgets_per_tenant: {
    reads: 'api/gateway/captures/forgets.ts',
    movedBy: 'test/gateway/api/captures/rights.test.ts',
  },
  connector_interests_per_tenant: {
    reads: 'db/gateway/connectors/ask-for-connector.ts',
    movedBy: 'test/gateway/api/catalogs/catalogs.test.ts',
  },
  copyright_allowances_per_tenant: {
    reads: 'core/gateway/wire/copyright.ts',
    movedBy: 'test/gateway/api/catalogs/catalogs.test.ts',
  },
  client_errors_per_day: {
    reads: 'db/overview/across/client-errors/client-errors.ts',
    movedBy: 'test/holes/storage/kept-rows.test.ts',
  },
  client_error_days: { reads: 'db/overview/client-errors/client-error.ts' },
  traffic_templates_per_tenant: {
    reads: 'db/learn/traffic/visit-tenant.ts',
    movedBy: 'test/learn/api/bridges.test.ts',
  },
  specialist_calls: {
    reads: 'api/learn/bridges/specialist-candidates.ts',
    movedBy: 'test/learn/api/specialists.test.ts',
  },
  cluster_examples: { reads: 'api/learn/bridges/auto-synthesize.ts' },
  holdouts_per_tenant: { reads: 'db/learn/holdouts/store-holdout.ts', movedBy: 'test/learn/api/holdouts.test.ts' },
  holdout_rows: { reads: 'api/learn/holdouts/store.ts', movedBy: 'test/learn/api/holdouts.test.ts' },
  holdout_attempts: { reads: 'db/learn/gates/register-gate.ts', movedBy: 'test/learn/workflows/gate.test.ts' },
  gate_rows: { reads: 'api/learn/gates/measured.ts', movedBy: 'test/learn/workflows/gate.test.ts' },
  gate_unit_rows: { reads: 'api/learn/gates/measured.ts' },
  unfinished_gates_per_tenant: {
    reads: 'db/learn/gates/register-gate.ts',
    movedBy: 'test/learn/workflows/gate.test.ts',
  },
  gate_days: { reads: 'db/learn/gates/gate.ts' },
  distill_starts_per_tenant_minute: {
    reads: 'db/learn/distill/create-run.ts',
    movedBy: 'test/learn/workflows/distill.test.ts',
  },
  distill_run_days: { reads: 'db/learn/distill/run.ts' },
  holdout_unit_bytes: { reads: 'api/learn/holdouts/store.ts', movedBy: 'test/learn/api/holdouts.test.ts' },
  capture_commit_s: { reads: 'db/gateway/captures/writer/writer.ts' },
  idempotency_hours: { reads: 'db/kernel/idempotency/claims.ts' },
  stage_result_days: { reads: 'activities/overview/housekeeping/special-sweeps.ts' },
  dataset_days: { reads: 'db/compile/jobs/compile-job.ts' },
  share_link_runs: {
    reads: 'api/compile/share/links.ts',
    movedBy: 'test/compile/api/artifacts/share-pages.test.ts',
  },
  export_days: { reads: 'activities/compile/export/write-export.ts' },
  contact_days: { reads: 'db/overview/contacts/contact-request.ts' },
  waitlist_kept: {
    reads: 'db/overview/across/contacts/record-contact.ts',
    movedBy: 'test/holes/storage/kept-rows.test.ts',
  },
  submissions_kept: {
    reads: 'db/overview/across/contacts/record-contact.ts',
    movedBy: 'test/holes/storage/kept-rows.test.ts',
  },
  snoozes_per_tenant: {
    reads: 'db/overview/account/snoozes.ts',
    movedBy: 'test/holes/storage/kept-rows.test.ts',
  },
  payment_event_days: { reads: 'db/billing/events/payment-event.ts' },
  unfinished_exports_per_tenant: {
    reads: 'db/compile/exports/create-export.ts',
    movedBy: 'test/compile/api/exports.test.ts',
  },
  session_absolute_days: {
    reads: 'db/accounts/sessions/open-session.ts',
    movedBy: 'test/accounts/db/accounts.test.ts',
  },
  key_cache_s: {
    reads: 'db/accounts/keys/authentication/authenticator.ts',
    movedBy: 'test/accounts/api/identity/sessions.test.ts',
  },
  scoped_keys_per_tenant: {
    reads: 'db/accounts/keys/mint-scoped-key.ts',
    movedBy: 'test/accounts/api/keys/scoped-keys.test.ts',
  },
  receipt_secrets_per_tenant: {
    reads: 'db/ledger/receipt-secrets/rotate-secret.ts',
    movedBy: 'test/ledger/api/receipt-secrets.test.ts',
  },
  verify_token_hours: { reads: 'db/accounts/tenants/verification/verify-email.ts' },
  login_attempt_minutes: { reads: 'db/accounts/sso/login-attempts.ts' },
  saml_skew_s: { reads: 'api/accounts/sso/saml.ts' },
  teams_per_tenant: { reads: 'db/accounts/teams/create-team.ts', movedBy: 'test/accounts/api/orgs/use-teams.ts' },
  control_event_days: {
    reads: 'db/gateway/control/control-records.ts',
    movedBy: 'test/gateway/api/control/events.test.ts',
  },
  adapter_manifests_per_tenant: {
    reads: 'db/gateway/control/store-manifest.ts',
    movedBy: 'test/gateway/api/control/manifests.test.ts',
  },
  declared_exports_per_tenant: {
    reads: 'db/gateway/control/declare-export.ts',
    movedBy: 'test/gateway/api/control/exports.test.ts',
  },
  webhook_tolerance_s: { reads: 'api/server.ts' },
  compliance_zip_bytes: {
    reads: 'db/overview/account/compliance/build-package.ts',
    movedBy: 'test/overview/api/compliance-package.test.ts',
  },
  loaded_recipes: { reads: 'api/compile/run/recipe-cache.ts' },
  loaded_recipe_bytes: { reads: 'api/compile/run/recipe-cache.ts' },
  bases_memory_bytes: { reads: 'api/server.ts', movedBy: 'test/compile/api/run-adapters.test.ts' },
  base_idle_s: { reads: 'api/server.ts' },
  base_queue: { reads: 'api/server.ts', movedBy: 'test/compile/api/run-adapters.test.ts' },
  document_bytes: { reads: 'activities/compile/documents/read-documents.ts' },
  document_text_chars: { reads: 'activities/compile/documents/read-documents.ts' },
  document_inflated_bytes: {
    reads: 'activities/compile/documents/read-documents.ts',
    movedBy: 'test/compile/api/documents/documents.test.ts',
  },
  document_upload_bytes: { reads: 'api/compile/documents/receive-files.ts' },
  documents_per_tenant: { reads: 'db/compile/documents/create-index.ts' },
  document_chunks_per_namespace: { reads: 'activities/compile/documents/read-documents.ts' },
  document_index_days: { reads: 'db/compile/documents/document-index.ts' },
  unfinished_indexes_per_tenant: { reads: 'db/compile/documents/create-index.ts' },
  sync_index_wait_s: { reads: 'api/compile/documents/wait-for-index.ts' },
  recall_brute_force_chunks: { reads: 'db/compile/documents/recall/recall.ts' },
  recall_vector_bytes: { reads: 'db/compile/documents/recall/recall.ts' },
  sse_connections_per_tenant: { reads: 'api/compile/jobs/stream.ts' },
  preview_concurrency: { reads: 'api/compile/build/preview-seats.ts' },
  page_files_per_ip_minute: {
    reads: 'api/kernel/guard/public-limits.ts',
    movedBy: 'test/holes/requests/public-limits.test.ts',
  },
  connections_per_ip: { reads: 'api/http-server.ts', movedBy: 'test/holes/requests/slow-bodies.test.ts' },
  body_silence_s: {
    reads: 'api/kernel/connections/slow-bodies.ts',
    movedBy: 'test/holes/requests/slow-bodies.test.ts',
  },
  body_bytes_per_s: {
    reads: 'api/kernel/connections/slow-bodies.ts',
    movedBy: 'test/holes/requests/slow-bodies.test.ts',
  },
  spool_bytes: { reads: 'api/server.ts' },
  storage_check_s: { reads: 'api/kernel/storage-watch.ts', movedBy: 'test/holes/storage/low-disk.test.ts' },
  short_turn_ms: {
    reads: 'core/compile/stages/pool/compute-cores.ts',
    movedBy: 'test/holes/compile/fair-compute.test.ts',
  },
  fit_turn_s: {
    reads: 'core/compile/stages/pool/compute-cores.ts',
    movedBy: 'test/holes/compile/fair-compute.test.ts',
  },
  inline_body_parts: { reads: 'api/kernel/bind.ts' },
  json_parts: { reads: 'api/kernel/route.ts' },
  public_json_parts: { reads: 'api/kernel/route.ts' },
  held_body_bytes: { reads: 'api/compile/intake/intake.ts' },
  quota_units_per_gateway_call: { reads: 'api/gateway/gate/admit.ts' },
  gateway_namespaces_per_tenant: {
    reads: 'db/gateway/namespaces/put-namespace.ts',
    movedBy: 'test/gateway/api/gate/namespaces.test.ts',
  },
  gateway_calls_per_visitor: { reads: 'api/gateway/calls/answer-call.ts' },
  assistant_chats_per_tenant_hour: {
    reads: 'api/gateway/assist/assist-limits.ts',
    movedBy: 'test/gateway/api/assist/assistant.test.ts',
  },
  docs_questions_per_ip_day: {
    reads: 'api/gateway/assist/assist-limits.ts',
    movedBy: 'test/gateway/api/assist/assistant.test.ts',
  },
  free_chats_per_ip_day: {
    reads: 'api/gateway/assist/assist-limits.ts',
    movedBy: 'test/gateway/api/assist/assistant.test.ts',
  },
  free_commands_per_ip_day: {
    reads: 'api/gateway/assist/assist-limits.ts',
    movedBy: 'test/gateway/api/assist/assistant.test.ts',
  },
  conversations_per_tenant: {
    reads: 'db/gateway/conversations/save-conversation.ts',
    movedBy: 'test/gateway/api/assist/conversations.test.ts',
  },
  conversation_bytes_per_tenant: {
    reads: 'db/gateway/conversations/save-conversation.ts',
    movedBy: 'test/gateway/api/assist/conversations.test.ts',
  },
  conversation_messages: {
    reads: 'db/gateway/conversations/save-conversation.ts',
    movedBy: 'test/gateway/api/assist/conversations.test.ts',
  },
  conversation_message_bytes: {
    reads: 'db/gateway/conversations/save-conversation.ts',
    movedBy: 'test/gateway/api/assist/conversations.test.ts',
  },
  conversation_tombstone_days: { reads: 'db/gateway/conversations/conversation.ts' },
  gateway_body_parts: { reads: 'api/gateway/inference/declaration.ts' },
  audio_body_bytes: { reads: 'api/gateway/inference/audio/receive-form.ts' },
  audio_uploads_per_tenant: { reads: 'api/gateway/inference/audio/proxies.ts' },
  audio_tokenize_s: { reads: 'api/gateway/open-gateway.ts' },
  gateway_answer_bytes: { reads: 'api/gateway/open-gateway.ts', movedBy: 'test/gateway/api/inference/streams.test.ts' },
  gateway_timeout_s: { reads: 'api/gateway/calls/read-plan.ts' },
  gateway_silence_s: { reads: 'api/gateway/open-gateway.ts', movedBy: 'test/gateway/api/inference/streams.test.ts' },
  gateway_connections: { reads: 'api/gateway/open-gateway.ts' },
  gateway_cache_s: { reads: 'db/gateway/cache/keep-answer.ts' },
  gateway_cached_answers: { reads: 'db/gateway/cache/keep-answer.ts' },
  gateway_cached_bytes: { reads: 'api/gateway/calls/ask/keep-in-cache.ts' },
  evaluation_rows: { reads: 'api/learn/evals/evals.ts', movedBy: 'test/learn/api/evals.test.ts' },
  evaluation_prompt_bytes: { reads: 'api/learn/evals/evals.ts' },
  evaluations_per_tenant: { reads: 'db/learn/evals/create-evaluation.ts' },
  unfinished_evaluations_per_tenant: { reads: 'db/learn/evals/create-evaluation.ts' },
  evaluation_days: { reads: 'db/learn/evals/evaluation.ts' },
  upload_spec_bytes: { reads: 'api/compile/submit/spec-and-file.ts' },
}
