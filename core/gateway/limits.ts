import type { LimitName as BillingLimitName } from '../billing/limits.ts'
import type { LimitsOf } from '../kernel/limits.ts'

/** Limits of provider keys and of the control center. Units stand in the names. */
export const GATEWAY_LIMITS = {
  provider_keys_per_tenant: 100,
  control_event_bytes: 64 * 1024,
  control_event_days: 90,
  adapter_manifests_per_tenant: 200,
  declared_exports_per_tenant: 10_000,
} as const

/** Name of a limit of this area or of one below it. */
export type LimitName = BillingLimitName | keyof typeof GATEWAY_LIMITS
/** The limits in force that this area reads. */
export type Limits = LimitsOf<LimitName>
