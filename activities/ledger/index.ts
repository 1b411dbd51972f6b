import { createLedgerActivities } from './ledger/activities.ts'
import type { LedgerDeps } from './ledger/deps.ts'

/** Returns the activities of the ledger by queue. */
export const ledgerActivities = (deps: LedgerDeps) => ({ io: createLedgerActivities(deps) })
