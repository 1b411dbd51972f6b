import pg from 'pg'
import { serveTasks } from '../../../../core/kernel/threads/serve-tasks.ts'
import { columnTypes } from '../../../kernel/tables/column-types.ts'
import { explainFailure } from '../../../kernel/faults/failures.ts'
import { STATEMENT_LIMITS } from '../../../kernel/faults/statement-limits.ts'
import { checkLedger, type LedgerCheck, type LedgerVerification } from './check-ledger.ts'

/** The task of the threads that check long ledgers: a ledger, and the address of the database that it lies in. */
export interface LedgerTasks {
  readonly check: {
    readonly input: LedgerCheck & { readonly url: string }
    readonly output: LedgerVerification
    /** Entries that were checked. */
    readonly progress: number
  }
}

serveTasks<LedgerTasks>({
  /** Over a connection of its own. */
  check: async ({ url, ...ledger }, task) => {
    const client = new pg.Client({ connectionString: url, types: columnTypes(), ...STATEMENT_LIMITS })
    // What a connection dies of, its statements say.
    client.on('error', () => undefined)
    try {
      await client.connect()
      return await checkLedger(client, ledger, (checked) => task.tell(checked))
    } catch (error) {
      throw explainFailure(error)
    } finally {
      await client.end().catch(() => undefined)
    }
  },
})
