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

/** The scopes that routes ask for. A key holds exact names, families (`compile:*`), namespaces, or everything (`*`). */
export const SCOPES = [
  ...LEDGER_SCOPES,
  ...ACCOUNTS_SCOPES,
  ...BILLING_SCOPES,
  ...GATEWAY_SCOPES,
  ...COMPILE_SCOPES,
  ...OVERVIEW_SCOPES,
] as const

/** One scope that a route asks for. */
export type Scope = (typeof SCOPES)[number]
