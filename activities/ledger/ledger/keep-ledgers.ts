import { newId } from '../../../core/kernel/ids.ts'
import { chainLeftovers, pruneLedgers, signGrownChains } from '../../../db/ledger/across/keep-ledgers.ts'
import type { LedgerDeps } from './deps.ts'

/** Results of the ledger chores; -1 for a failed one, which the next run tries again. */
export interface LedgerReport {
  /** Tenants with entries that were not yet chained. */
  readonly chained: number
  /** Chains whose head was signed. */
  readonly signed: number
  /** Entries removed because their retention ended. */
  readonly pruned: number
}

/** Time for one run; the next one does the rest. Well below the activity's own limit (HOUSEKEEPING). */
const RUN_MS = 60_000

/**
 * Chains unchained entries, signs the heads of the chains that grew, and removes entries beyond their plan's retention,
 * in this order, so that only entries covered by a checkpoint are removed. A failed chore does not stop the others.
 * Throws when `cancelled` is aborted.
 */
export async function keepLedgers(deps: LedgerDeps, cancelled: AbortSignal): Promise<LedgerReport> {
  const { db, limits, now } = deps
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(RUN_MS)])
  const chore = async (what: string, work: () => Promise<number>): Promise<number> => {
    try {
      return await work()
    } catch (error) {
      deps.log.warn({ err: error, what }, 'a chore of the ledgers failed; the next run tries again')
      return -1
    }
  }
  const chained = await chore('chain', async () => await chainLeftovers(db, { now, signal }))
  const signed = await chore('sign', async () => await signGrownChains(db, { now, signal }))
  const requestId = newId('req')
  const pruned = await chore('prune', async () => await pruneLedgers(db, { now, signal, limits, requestId }))
  cancelled.throwIfAborted()
  return { chained, signed, pruned }
}
