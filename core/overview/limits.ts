import type { LimitsOf } from '../kernel/limits.ts'
import type { LimitName as LearnLimitName } from '../learn/limits.ts'

/** Limits of deletion, the compliance package, snoozes, the waitlist and messages. Units stand in the names. */
export const OVERVIEW_LIMITS = {
  waitlist_per_ip_hour: 10,
  waitlist_kept: 50_000,
  submissions_kept: 10_000,
  contact_days: 365,
  snoozes_per_tenant: 1000,
  deleted_tenant_days: 30,
  client_errors_per_ip_minute: 30,
  client_errors_per_day: 1000,
  client_error_days: 30,
  compliance_zip_bytes: 64 * 1024 * 1024,
} as const

/** Name of a limit of this area or of one below it. */
export type LimitName = LearnLimitName | keyof typeof OVERVIEW_LIMITS
/** The limits in force that this area reads. */
export type Limits = LimitsOf<LimitName>
