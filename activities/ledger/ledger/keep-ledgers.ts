import { newId } from '../../../core/kernel/ids.ts'
import { chainLeftovers, pruneLedgers, signGrownChains } from '../../../db/ledger/across/keep-ledgers.ts'
import type { LedgerDeps } from './deps.ts'

/** What the chores of the ledgers did; -1 where one failed, which the next run tries again. */
export interface LedgerReport {
  /** Tenants with entries that had been left without their place in the chain. */
  readonly chained: number
  /** Chains whose end was signed. */
  readonly signed: number
  /** Entries that were removed because their time was over. */
  readonly pruned: number
}

/** Time for one run: what is left over is for the next one. Well below the activity's own limit (HOUSEKEEPING). */
const RUN_MS = 60_000

/**
 * Chains what was left behind, signs the ends of the chains that grew, and removes what is beyond its plan's time, in
 * this order, so that nothing is removed that no checkpoint covers. One chore that fails does not keep the others from
 * being done. Throws when `cancelled` is aborted.
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
