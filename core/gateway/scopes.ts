import type { Scope as BillingScope } from '../billing/scopes.ts'

/** Scopes of calls to models, provider keys, captures and the control center, each with its sentence. */
export const GATEWAY_SCOPES = {
  'gateway:call': 'Call models of providers',
  'provider_keys:read': 'List the keys of model providers, without their values',
  'provider_keys:write': 'Store and remove keys of model providers',
  'capture:read': 'Read captured calls',
  'capture:write': 'Record captured calls',
  'capture:stream': 'Follow captured calls as they arrive',
  'lake:read': 'Read the stored captures of the team',
  'lake:export': 'Export the stored captures of the team',
  'conversations:read': 'Read stored conversations',
  'conversations:write': 'Save and delete conversations',
  'control:read': 'Read the control center: sources, adapters and declared exports',
  'control:write': 'Record events, adapters and exports in the control center',
  'privacy:write': 'Redact and remove captured content',
} as const

/** A scope of this area or of one below it. */
export type Scope = BillingScope | keyof typeof GATEWAY_SCOPES
