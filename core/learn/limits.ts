import type { LimitName as CompileLimitName } from '../compile/limits.ts'
import type { LimitsOf } from '../kernel/limits.ts'

/** Limits of what is learned from traffic, and of evaluations. Units stand in the names. */
export const LEARN_LIMITS = {
  traffic_templates_per_tenant: 2000,
  cluster_examples: 10_000,
  specialist_calls: 1000,
  evaluation_body_bytes: 16 * 1024 * 1024,
  evaluation_rows: 10_000,
  evaluation_prompt_bytes: 64 * 1024 * 1024,
  evaluations_per_tenant: 500,
  unfinished_evaluations_per_tenant: 4,
  evaluation_days: 365,
} as const

/** Name of a limit of this area or of one below it. */
export type LimitName = CompileLimitName | keyof typeof LEARN_LIMITS
/** The limits in force that this area reads. */
export type Limits = LimitsOf<LimitName>
