import { accountsRoutes } from './accounts/index.ts'
import { BILLING_ROUTES } from './billing/index.ts'
import { COMPILE_ROUTES } from './compile/index.ts'
import { EVIDENCE_ROUTES } from './evidence/index.ts'
import { GATEWAY_ROUTES } from './gateway/index.ts'
import { LEARN_ROUTES } from './learn/index.ts'
import { LEDGER_ROUTES } from './ledger/index.ts'
import { overviewRoutes } from './overview/index.ts'
import type { Route } from './overview/services.ts'

/**
 * Every route of the service, by area. Binding, guard, reference page and contract tests come from this list. Of two
 * that match one path the first serves, so fixed paths stand before those with parameters; `run`, which is called most,
 * leads.
 */
export const ROUTES: readonly Route[] = [
  ...COMPILE_ROUTES,
  ...overviewRoutes(() => ROUTES),
  ...LEDGER_ROUTES,
  ...accountsRoutes(() => ROUTES),
  ...BILLING_ROUTES,
  ...GATEWAY_ROUTES,
  ...LEARN_ROUTES,
  ...EVIDENCE_ROUTES,
]
