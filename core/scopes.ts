import { ACCOUNTS_SCOPES } from './accounts/scopes.ts'
import { BILLING_SCOPES } from './billing/scopes.ts'
import { COMPILE_SCOPES } from './compile/scopes.ts'
import { GATEWAY_SCOPES } from './gateway/scopes.ts'
import { LEARN_SCOPES } from './learn/scopes.ts'
import { LEDGER_SCOPES } from './ledger/scopes.ts'
import { mergeAreas } from './merge-areas.ts'
import { OVERVIEW_SCOPES } from './overview/scopes.ts'

/** The scopes of each area with their sentences, lowest area first. */
export const SCOPES_BY_AREA = {
  ledger: LEDGER_SCOPES,
  accounts: ACCOUNTS_SCOPES,
  billing: BILLING_SCOPES,
  gateway: GATEWAY_SCOPES,
  compile: COMPILE_SCOPES,
  learn: LEARN_SCOPES,
  overview: OVERVIEW_SCOPES,
} as const

/** Each scope with the sentence that says what it allows. */
export const SCOPE_SENTENCES = mergeAreas(SCOPES_BY_AREA)

/** One scope that a route asks for. */
export type Scope = keyof typeof SCOPE_SENTENCES

/** The scopes that routes ask for. A key holds exact names, families (`compile:*`), namespaces, or everything (`*`). */
export const SCOPES: readonly Scope[] = Object.keys(SCOPE_SENTENCES).filter(isScope)

/** True for the name of a scope. */
function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPE_SENTENCES, text)
}
