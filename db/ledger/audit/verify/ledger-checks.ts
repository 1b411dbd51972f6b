import { unpackReply, type ComputeReply } from '../../../../core/compile/pool/compute-task.ts'
import { openThreads } from '../../../../core/kernel/threads/threads.ts'
import { Rounds } from '../../../../core/kernel/rounds.ts'
import type { LedgerCheck, LedgerVerification } from './check-ledger.ts'
import type { LedgerTask } from './check-thread.ts'

/** Long ledgers that are checked at once; each takes a core and a connection for as long as it takes. */
const THREADS = 2

/** The checks of ledgers that a process makes. */
export interface LedgerChecks {
  /** The checks by tenant: those who ask for one of the same tenant share it. */
  readonly rounds: Rounds<LedgerVerification>
  /** Checks a ledger beside the event loop. Throws `store_unavailable`. */
  inThread(ledger: LedgerCheck): Promise<LedgerVerification>
  close(): Promise<void>
}

/** Opens the checks of a database; threads start with the first long ledger. */
export function createLedgerChecks(url: string): LedgerChecks {
  const threads = openThreads<LedgerTask, ComputeReply<LedgerVerification>>({
    file: new URL('./check-thread.ts', import.meta.url),
    name: 'checkInThread',
    most: THREADS,
  })
  return {
    rounds: new Rounds<LedgerVerification>(),
    async inThread(ledger) {
      return unpackReply(await threads.run({ ...ledger, url }))
    },
    close: async () => await threads.close(),
  }
}
