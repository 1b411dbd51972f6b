import { z } from 'zod'
import type { ErrorCode } from '../../../core/gateway/errors.ts'
import { isJsonObject, type JsonObject } from '../../../core/kernel/json/json.ts'

/** Facts that the routes which call models share. */
export const INFERENCE = {
  group: 'gateway',
  auth: 'key',
  scope: 'gateway:call',
  namespace: 'bounded',
  stores: 'bounded',
  bodyLimit: 'gateway_body_bytes',
  partsLimit: 'gateway_body_parts',
} as const

/** Codes of a provider's failure. */
export const PROVIDER_FAILURES = [
  'provider_refused',
  'provider_auth_failed',
  'provider_rejected_request',
  'provider_invalid_response',
  'provider_unreachable',
  'provider_interrupted',
  'provider_rate_limited',
  'provider_overloaded',
  'provider_timeout',
] as const satisfies readonly ErrorCode[]

/** Codes of these routes. */
export const INFERENCE_ERRORS = [
  'unknown_model',
  'not_translatable',
  'quota_exhausted',
  'storage_allowance_used',
  'storage_full',
  'budget_exceeded',
  'unpriced_model',
  'blocked_by_guardrail',
  'privacy_blocked',
  'no_provider_key',
  'request_timeout',
  ...PROVIDER_FAILURES,
] as const satisfies readonly ErrorCode[]

/** Made once: making a schema costs more than a call's check by it. */
const JsonBody = z.custom<JsonObject>((value) => isJsonObject(value as JsonObject))

/** A parsed body as the JSON that it was. */
export function jsonOf(body: Readonly<Record<string, unknown>>): JsonObject {
  return JsonBody.parse(body)
}
