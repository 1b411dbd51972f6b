import { perPlan } from './tenant/plans.ts'

/** Limits of calls, bodies and storage, and those that a plan sets for every area. The names contain the units. */
export const KERNEL_LIMITS = {
  probes_per_ip_minute: 6000,
  documents_per_ip_minute: 1200,
  checks_per_ip_minute: 600,
  webhooks_per_ip_minute: 6000,
  page_files_per_ip_minute: 6000,
  connections_per_ip: 512,
  body_silence_s: 15,
  body_bytes_per_s: 8 * 1024,
  requests_per_tenant_minute: 300_000,
  failed_keys_per_ip_minute: 60,
  ...perPlan('quota', (plan) => plan.quota),
  stored_bytes_anonymous: 64 * 1024 * 1024,
  ...perPlan('stored_bytes', (plan) => plan.storedBytes),
  storage_reserve_bytes: 1536 * 1024 * 1024,
  storage_reserve_percent: 25,
  storage_resume_percent: 125,
  storage_check_s: 2,
  inline_body_parts: 500_000,
  json_body_bytes: 1024 * 1024,
  json_parts: 20_000,
  public_body_bytes: 64 * 1024,
  public_json_parts: 2000,
  json_depth: 64,
  idempotency_hours: 24,
  ...perPlan('audit_days', (plan) => plan.auditDays),
  list_page: 200,
} as const

/** Name of a limit of the kernel. */
export type LimitName = keyof typeof KERNEL_LIMITS
/** The limits in force, as far as the kernel reads them. */
export type Limits = LimitsOf<LimitName>

/** A value for each name of a limit. */
export type LimitsOf<Name extends string> = Readonly<Record<Name, number>>
