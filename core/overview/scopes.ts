import type { Scope as CompileScope } from '../compile/scopes.ts'

/** Scopes of the account as a whole, and of metrics. */
export const OVERVIEW_SCOPES = ['account:export', 'account:delete', 'metrics:read'] as const

/** A scope of this area or of one below it. */
export type Scope = CompileScope | (typeof OVERVIEW_SCOPES)[number]
