import pg from 'pg'
import { packError, type ThreadReply } from '../../../../core/kernel/threads/reply.ts'
import { columnTypes } from '../../../kernel/tables/column-types.ts'
import { explainFailure } from '../../../kernel/faults/failures.ts'
import { STATEMENT_LIMITS } from '../../../kernel/faults/statement-limits.ts'
import { checkLedger, type LedgerCheck, type LedgerVerification } from './check-ledger.ts'

/** A ledger, and its database. */
export interface LedgerTask extends LedgerCheck {
  readonly url: string
}

/** The entry point of the thread that checks long ledgers, over its own connection. */
export async function checkInThread({ url, ...ledger }: LedgerTask): Promise<ThreadReply<LedgerVerification>> {
  const client = new pg.Client({ connectionString: url, types: columnTypes(), ...STATEMENT_LIMITS })
  // The cause of a lost connection is in the error of its statements.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return { ok: true, output: await checkLedger(client, ledger) }
  } catch (error) {
    return packError(explainFailure(error))
  } finally {
    await client.end().catch(() => undefined)
  }
}
