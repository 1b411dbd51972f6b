import { Piscina } from 'piscina'
import { unpackReply, type ComputeReply } from '../../../core/compiler/pool/compute-task.ts'
import { Rounds } from '../../rounds.ts'
import type { LedgerCheck, LedgerVerification } from './check-ledger.ts'
import type { LedgerTask } from './check-thread.ts'

/** Long ledgers that are checked at once; each takes a core and a connection for as long as it takes. */
const THREADS = 2
const IDLE_MS = 30_000

/** The checks of ledgers that a process makes. */
export interface LedgerChecks {
  /** The checks by tenant: those who ask for one of the same tenant share it. */
  readonly rounds: Rounds<LedgerVerification>
  /** Checks a ledger beside the event loop. Throws `store_unavailable`. */
  inThread(ledger: LedgerCheck): Promise<LedgerVerification>
  close(): Promise<void>
}

/** Opens the checks of a database; a thread starts with the first long ledger and ends when none comes for a while. */
export function createLedgerChecks(url: string): LedgerChecks {
  const piscina = new Piscina({
    filename: new URL('./check-thread.ts', import.meta.url).href,
    name: 'checkInThread',
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: IDLE_MS,
  })
  // Told when a thread dies between two checks: it is replaced, and there is no check to fail.
  piscina.on('error', () => undefined)
  return {
    rounds: new Rounds<LedgerVerification>(),
    async inThread(ledger) {
      const task: LedgerTask = { ...ledger, url }
      const reply: ComputeReply<LedgerVerification> = await piscina.run(task)
      return unpackReply(reply)
    },
    close: async () => await piscina.destroy(),
  }
}
