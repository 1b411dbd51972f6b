import type { LimitName as CompileLimitName } from '../compile/limits.ts'
import type { LimitsOf } from '../kernel/limits.ts'

/** Limits of what is learned from traffic. Units stand in the names. */
export const LEARN_LIMITS = {
  traffic_templates_per_tenant: 2000,
  cluster_examples: 10_000,
  specialist_calls: 1000,
  cloud_probes_per_ip_minute: 6,
} as const

/** Name of a limit of this area or of one below it. */
export type LimitName = CompileLimitName | keyof typeof LEARN_LIMITS
/** The limits in force that this area reads. */
export type Limits = LimitsOf<LimitName>
