import { runActivity } from '../../kernel/run-activity.ts'
import { keepLedgers, type LedgerReport } from './keep-ledgers.ts'
import type { LedgerDeps } from './deps.ts'

/** The activity behind the ledgers' schedule. It inspects the state and does missing work, so repeating it is safe. */
export const createLedgerActivities = (deps: LedgerDeps) => ({
  keepLedgers: (): Promise<LedgerReport> => runActivity(deps.log, ({ signal }) => keepLedgers(deps, signal)),
})

/** The activity behind the ledgers' schedule, as its workflow sees it. */
export type LedgerActivities = ReturnType<typeof createLedgerActivities>
