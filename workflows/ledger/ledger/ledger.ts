import { proxyActivities, setCurrentDetails } from '@temporalio/workflow'
import type { LedgerActivities } from '../../../activities/ledger/ledger/activities.ts'
import type { LedgerReport } from '../../../activities/ledger/ledger/keep-ledgers.ts'
import { HOUSEKEEPING } from '../../kernel/policies.ts'

const chores = proxyActivities<LedgerActivities>(HOUSEKEEPING)

/** Keeps the audit ledgers: their chains closed, their ends signed, their old entries removed. */
export async function ledger(): Promise<LedgerReport> {
  const report = await chores.keepLedgers.executeWithOptions(
    { ...HOUSEKEEPING, summary: 'Chain what was left behind, sign the ends, remove what is too old' },
    [],
  )
  setCurrentDetails(`chained ${report.chained} · signed ${report.signed} · removed ${report.pruned}`)
  return report
}
