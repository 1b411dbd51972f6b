import type { Database } from '../../../kernel/database.ts'
import { unpackReply, type ThreadReply } from '../../../../core/kernel/threads/reply.ts'
import { openThreads } from '../../../../core/kernel/threads/threads.ts'
import { Rounds } from '../../../../core/kernel/fair/rounds.ts'
import type { LedgerCheck, LedgerVerification } from './check-ledger.ts'
import type { LedgerTask } from './check-thread.ts'

/** Number of long ledgers checked at once; each takes a core and a connection while it runs. */
const THREADS = 2

/** The checks of ledgers that a process makes. */
interface LedgerChecks {
  /** The checks by tenant: concurrent requests for one tenant share a check. */
  readonly rounds: Rounds<LedgerVerification>
  /** Checks a ledger beside the event loop. Throws `store_unavailable`. */
  inThread(ledger: LedgerCheck): Promise<LedgerVerification>
}

const CHECKS = new WeakMap<Database, LedgerChecks>()

/** Returns the checks of an open database; threads start with the first long ledger and end with the database. */
export function ledgerChecksOf(db: Database): LedgerChecks {
  const known = CHECKS.get(db)
  if (known !== undefined) return known
  const checks = openLedgerChecks(db)
  CHECKS.set(db, checks)
  return checks
}

function openLedgerChecks(db: Database): LedgerChecks {
  const threads = openThreads<LedgerTask, ThreadReply<LedgerVerification>>({
    file: new URL('./check-thread.ts', import.meta.url),
    name: 'checkInThread',
    most: THREADS,
  })
  db.onClose(async () => await threads.close())
  return {
    rounds: new Rounds<LedgerVerification>(),
    async inThread(ledger) {
      return unpackReply(await threads.run({ ...ledger, url: db.url }))
    },
  }
}
