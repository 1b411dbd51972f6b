import type { LimitsOf } from '../kernel/limits.ts'
import type { LimitName as LedgerLimitName } from '../ledger/limits.ts'

/** Limits of sign-up, sign-in, sessions, keys, mails and members. Units stand in the names. */
export const ACCOUNTS_LIMITS = {
  signups_per_ip_day: 10,
  anon_per_ip_day: 50,
  signins_per_ip_5min: 30,
  invites_per_ip_15min: 60,
  mails_per_ip_15min: 5,
  mails_per_address_hour: 5,
  claim_guesses_per_ip_15min: 20,
  quota_anonymous: 5000,
  saml_body_bytes: 512 * 1024,
  session_days: 30,
  session_absolute_days: 90,
  key_cache_s: 60,
  scoped_keys_per_tenant: 200,
  sessions_listed: 100,
  anonymous_days: 30,
  mail_token_minutes: 15,
  verify_token_hours: 48,
  invitation_days: 14,
  login_attempt_minutes: 10,
  saml_skew_s: 300,
  scim_users: 2000,
  teams_per_tenant: 1000,
  sso_per_ip_5min: 600,
} as const

/** Name of a limit of this area or of one below it. */
export type LimitName = LedgerLimitName | keyof typeof ACCOUNTS_LIMITS
/** The limits in force that this area reads. */
export type Limits = LimitsOf<LimitName>
