import type { Scope as LearnScope } from '../learn/scopes.ts'

/** Scopes of the account as a whole, and of metrics, each with its sentence. */
export const OVERVIEW_SCOPES = {
  'account:export': 'Download all data of the account',
  'account:delete': 'Delete the account',
  'metrics:read': 'Read metrics and the detailed readiness',
} as const

/** A scope of this area or of one below it. */
export type Scope = LearnScope | keyof typeof OVERVIEW_SCOPES
