import type { Scope as BillingScope } from '../billing/scopes.ts'

/** Scopes of calls to models, provider keys, captures and the control center. */
export const GATEWAY_SCOPES = [
  'gateway:call',
  'provider_keys:read',
  'provider_keys:write',
  'capture:read',
  'capture:write',
  'capture:stream',
  'lake:read',
  'lake:export',
  'control:read',
  'control:write',
  'privacy:write',
] as const

/** A scope of this area or of one below it. */
export type Scope = BillingScope | (typeof GATEWAY_SCOPES)[number]
