import type { LimitName as CompileLimitName } from '../compile/limits.ts'
import type { LimitsOf } from '../kernel/limits.ts'

/** Limits of datasets, evaluations, gates, holdouts, and of what is learned from traffic. Units stand in the names. */
export const LEARN_LIMITS = {
  traffic_templates_per_tenant: 2000,
  cluster_examples: 10_000,
  specialist_calls: 1000,
  datasets_per_tenant: 1000,
  versions_per_dataset: 1000,
  unfinished_datasets_per_tenant: 10,
  dataset_rows: 2_000_000,
  sync_dataset_wait_s: 60,
  evaluation_body_bytes: 16 * 1024 * 1024,
  evaluation_rows: 10_000,
  evaluation_prompt_bytes: 64 * 1024 * 1024,
  evaluations_per_tenant: 500,
  unfinished_evaluations_per_tenant: 4,
  evaluation_days: 365,
  bench_pack_bytes: 25 * 1024 * 1024,
  /** Of all files of a pack together, inflated. */
  bench_pack_inflated_bytes: 128 * 1024 * 1024,
  bench_packs_per_tenant: 50,
  bench_uploads_per_ip_minute: 20,
  bench_rows: 20_000,
  /** Held-out rows that the contestants of a bake-off answer at most. */
  bakeoff_rows: 1000,
  /** Train rows that contestants learn from at most. */
  bakeoff_train_rows: 20_000,
  bakeoffs_per_tenant: 500,
  unfinished_bakeoffs_per_tenant: 4,
  bakeoff_days: 365,
  sync_bakeoff_wait_s: 10,
  inference_measurements_per_tenant: 1000,
  unfinished_inference_per_tenant: 2,
  inference_days: 365,
  sync_inference_wait_s: 10,
  cloud_probes_per_ip_minute: 6,
  /** Cloud jobs that have not begun. */
  waiting_cloud_jobs_per_tenant: 20,
  /** Deleted ones count: the keys of their rows are kept. */
  holdouts_per_tenant: 200,
  holdout_rows: 50_000,
  holdout_uploads_per_ip_minute: 20,
  /** Attempts on one corpus ever; most are spent by their level long before. */
  holdout_attempts: 1000,
  gate_rows: 10_000,
  /** Numbers that are posted to one gate. */
  gate_posted_parts: 100_000,
  /** Rows that one unit pays for. */
  gate_unit_rows: 100,
  unfinished_gates_per_tenant: 8,
  gate_days: 365,
  /** Bytes of rows that one unit pays for. */
  holdout_unit_bytes: 10 * 1024,
  distill_starts_per_tenant_minute: 12,
  preference_pairs: 10_000,
  onpolicy_rows: 10_000,
  onpolicy_steps: 5000,
  distill_run_days: 365,
} as const

/** Name of a limit of this area or of one below it. */
export type LimitName = CompileLimitName | keyof typeof LEARN_LIMITS
/** The limits in force that this area reads. */
export type Limits = LimitsOf<LimitName>
