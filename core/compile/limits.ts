import type { LimitName as GatewayLimitName } from '../gateway/limits.ts'
import type { LimitsOf } from '../kernel/limits.ts'
import { perPlan } from '../kernel/tenant/plans.ts'

/** Limits of examples, compute, runs, artifacts, exports and share links. Units stand in the names. */
export const COMPILE_LIMITS = {
  previews_per_ip_minute: 30,
  registry_exports_per_ip_minute: 60,
  planning_calls_per_ip_minute: 60,
  ...perPlan('running_jobs', (plan) => plan.runningJobs),
  spool_bytes: 4 * 1024 * 1024 * 1024,
  compute_weight_anonymous: 1,
  ...perPlan('compute_weight', (plan) => plan.computeWeight),
  unpaid_compute_s_day_anonymous: 1800,
  ...perPlan('unpaid_compute_s_day', (plan) => plan.unpaidComputeSPerDay),
  short_turn_ms: 1500,
  fit_turn_s: 60,
  task_chars: 4000,
  inline_examples: 10_000,
  inline_body_bytes: 16 * 1024 * 1024,
  upload_rows: 1_000_000,
  upload_bytes: 1024 * 1024 * 1024,
  example_bytes: 10 * 1024,
  unlabelled_inputs: 1000,
  questions_per_compile: 20,
  question_wait_s: 86_400,
  held_body_bytes: 96 * 1024 * 1024,
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
  stage_result_days: 7,
  dataset_days: 90,
  export_days: 7,
  unfinished_exports_per_tenant: 20,
  share_link_days: 7,
  share_calls_per_ip_minute: 120,
  run_cache_entries: 20_000,
  loaded_recipes: 512,
  loaded_recipe_bytes: 1024 * 1024 * 1024,
  bases_memory_bytes: 4 * 1024 * 1024 * 1024,
  base_idle_s: 900,
  base_queue: 256,
  sse_connections_per_tenant: 50,
} as const

/** Name of a limit of this area or of one below it. */
export type LimitName = GatewayLimitName | keyof typeof COMPILE_LIMITS
/** The limits in force that this area reads. */
export type Limits = LimitsOf<LimitName>
