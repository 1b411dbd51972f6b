import { z } from 'zod'
import type { ErrorCode } from '../../../core/gateway/errors.ts'
import { isJsonObject, type JsonObject } from '../../../core/kernel/json/json.ts'

/** What the routes that call models have in common. */
export const INFERENCE = {
  group: 'gateway',
  auth: 'key',
  scope: 'gateway:call',
  namespace: 'bounded',
  stores: 'bounded',
  bodyLimit: 'gateway_body_bytes',
  partsLimit: 'gateway_body_parts',
} as const

/** Codes of these routes. */
export const INFERENCE_ERRORS = [
  'unknown_model',
  'not_translatable',
  'quota_exhausted',
  'no_provider_key',
  'request_timeout',
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

/** The name of a model. */
export const ModelName = z
  .string()
  .min(1)
  .max(256)
  .meta({ description: '`provider:model`, or the name alone where it tells its provider', example: 'gpt-4o-mini' })

/** A parsed body as the JSON that it was. */
export function jsonOf(body: Readonly<Record<string, unknown>>): JsonObject {
  return z.custom<JsonObject>((value) => isJsonObject(value as JsonObject)).parse(body)
}
