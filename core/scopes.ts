import { ACCOUNTS_SCOPES } from './accounts/scopes.ts'
import { BILLING_SCOPES } from './billing/scopes.ts'
import { COMPILE_SCOPES } from './compile/scopes.ts'
import { GATEWAY_SCOPES } from './gateway/scopes.ts'
import { LEDGER_SCOPES } from './ledger/scopes.ts'
import { OVERVIEW_SCOPES } from './overview/scopes.ts'

/** The scopes of each area, lowest first. */
export const SCOPES_BY_AREA = {
  ledger: LEDGER_SCOPES,
  accounts: ACCOUNTS_SCOPES,
  billing: BILLING_SCOPES,
  gateway: GATEWAY_SCOPES,
  compile: COMPILE_SCOPES,
  overview: OVERVIEW_SCOPES,
} as const

/** One scope that a route asks for. */
export type Scope = (typeof SCOPES_BY_AREA)[keyof typeof SCOPES_BY_AREA][number]

/** The scopes that routes ask for. A key holds exact names, families (`compile:*`), namespaces, or everything (`*`). */
export const SCOPES: readonly Scope[] = Object.values(SCOPES_BY_AREA).flat()
