import type { LimitName as BillingLimitName } from '../billing/limits.ts'
import type { LimitsOf } from '../kernel/limits.ts'

/** Limits of provider keys and of the control center. Units stand in the names. */
export const GATEWAY_LIMITS = {
  provider_keys_per_tenant: 100,
  quota_units_per_gateway_call: 1,
  gateway_body_bytes: 32 * 1024 * 1024,
  gateway_body_parts: 500_000,
  audio_body_bytes: 100 * 1024 * 1024,
  audio_uploads_per_tenant: 8,
  audio_tokenize_bytes: 32 * 1024 * 1024,
  audio_tokenize_s: 600,
  gateway_answer_bytes: 32 * 1024 * 1024,
  gateway_timeout_s: 300,
  gateway_silence_s: 120,
  gateway_connections: 1024,
  gateway_calls_per_tenant: 256,
  gateway_calls_per_visitor: 16,
  messages_alias_per_ip_minute: 1200,
  gateway_cache_s: 3600,
  gateway_cached_answers: 5000,
  gateway_cached_bytes: 256 * 1024,
  gateway_namespaces_per_tenant: 1000,
  capture_days: 365,
  capture_inline_bytes: 64 * 1024,
  capture_spill_bytes: 1024 * 1024 * 1024,
  capture_waiting_bytes: 64 * 1024 * 1024,
  capture_commit_s: 5,
  capture_log_bytes: 8 * 1024 * 1024,
  capture_review_bytes: 4 * 1024 * 1024,
  capture_media_bytes: 16 * 1024 * 1024,
  capture_streams_per_tenant: 50,
  capture_exports_per_tenant: 4,
  capture_uploads_per_tenant: 4,
  capture_forgets_per_tenant: 10,
  control_event_bytes: 64 * 1024,
  control_event_days: 90,
  adapter_manifests_per_tenant: 200,
  declared_exports_per_tenant: 10_000,
} as const

/** Name of a limit of this area or of one below it. */
export type LimitName = BillingLimitName | keyof typeof GATEWAY_LIMITS
/** The limits in force that this area reads. */
export type Limits = LimitsOf<LimitName>
