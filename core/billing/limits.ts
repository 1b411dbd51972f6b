import type { LimitName as AccountsLimitName } from '../accounts/limits.ts'
import type { LimitsOf } from '../kernel/limits.ts'

/** Limits of usage, payment events and dunning. Units stand in the names. */
export const BILLING_LIMITS = {
  quota_units_per_compile: 10,
  quota_units_per_run: 1,
  quota_units_per_event: 1,
  webhook_tolerance_s: 300,
  webhook_body_bytes: 4 * 1024 * 1024,
  payment_event_days: 90,
  dunning_days_1: 3,
  dunning_days_2: 4,
  dunning_days_3: 7,
} as const

/** Name of a limit of this area or of one below it. */
export type LimitName = AccountsLimitName | keyof typeof BILLING_LIMITS
/** The limits in force that this area reads. */
export type Limits = LimitsOf<LimitName>
