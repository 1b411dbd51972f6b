import { proxyActivities, setCurrentDetails } from '@temporalio/workflow'
import type { LedgerActivities } from '../../../activities/ledger/ledger/activities.ts'
import type { LedgerReport } from '../../../activities/ledger/ledger/keep-ledgers.ts'
import { HOUSEKEEPING } from '../../kernel/policies.ts'

const chores = proxyActivities<LedgerActivities>(HOUSEKEEPING)

/** Maintains the audit ledgers: chains new entries, signs the heads, removes old entries. */
export async function ledger(): Promise<LedgerReport> {
  const report = await chores.keepLedgers.executeWithOptions(
    { ...HOUSEKEEPING, summary: 'Chain unchained entries, sign the heads, remove entries past their retention' },
    [],
  )
  setCurrentDetails(`chained ${report.chained} · signed ${report.signed} · removed ${report.pruned}`)
  return report
}
