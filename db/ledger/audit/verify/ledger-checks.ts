import type { Database } from '../../../kernel/database.ts'
import { evenShare } from '../../../../core/kernel/threads/cores.ts'
import { openThreads } from '../../../../core/kernel/threads/threads.ts'
import { Rounds } from '../../../../core/kernel/threads/fair/rounds.ts'
import type { LedgerCheck, LedgerVerification } from './check-ledger.ts'
import type { LedgerTasks } from './check-thread.ts'

/** Number of long ledgers checked at once; each takes a core and a connection while it runs. */
const THREADS = 2
const YOUNG_MB = 12
/** Longer than any statement; entries that are checked are reported. */
const STILL_MS = 150_000

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
  const threads = openThreads<LedgerTasks>({
    file: new URL('./check-thread.ts', import.meta.url),
    name: 'ledger check',
    most: THREADS,
    youngMb: YOUNG_MB,
    stillMs: STILL_MS,
    cores: db.cores.short,
  })
  db.onClose(async () => await threads.close())
  return {
    rounds: new Rounds<LedgerVerification>(),
    async inThread(ledger) {
      return await threads.run('check', { ...ledger, url: db.url }, { share: evenShare(`ledger ${ledger.tenantId}`) })
    },
  }
}
