import { ledgerChecksOf } from './verify/ledger-checks.ts'
import type pg from 'pg'
import type { Database } from '../../kernel/database.ts'
import { explainFailure } from '../../kernel/faults/failures.ts'
import { tenantOf, type Operation } from '../../kernel/operation.ts'
import { loadSigningKeys } from '../across/signing-keys.ts'
import { readAuditKeys } from './audit-key.ts'
import { ledgerLength } from './list-audit.ts'
import { settleLedger } from './chain/settle.ts'
import { checkLedger, type LedgerVerification } from './verify/check-ledger.ts'

/** Ledgers up to this length are checked in about ten milliseconds, less than the start of a thread takes. */
const SHORT = 2000

/**
 * Checks the tenant's whole audit ledger in one pass: each entry against its key and the previous one, the signed
 * checkpoints on the way, and the end. A long one is checked in a thread. One check of a tenant runs at a time in a
 * process; requests that arrive meanwhile share the next one.
 */
export async function verifyAudit(op: Pick<Operation, 'db' | 'tenantId' | 'now'>): Promise<LedgerVerification> {
  return await ledgerChecksOf(op.db).rounds.join(op.tenantId, async () => await verify(op))
}

async function verify(op: Pick<Operation, 'db' | 'tenantId' | 'now'>): Promise<LedgerVerification> {
  const { db, tenantId } = op
  await settleLedger(db, op)
  const [{ all: keys }, signers, length] = await Promise.all([
    readAuditKeys(db, tenantOf(db, tenantId)),
    loadSigningKeys(db),
    ledgerLength(tenantOf(db, tenantId), tenantId),
  ])
  const trusted = new Map(signers.all.map(({ kid, publicKey }) => [kid, publicKey]))
  const ledger = { tenantId, keys, trusted }
  if (length > SHORT) return await ledgerChecksOf(db).inThread(ledger)
  return await onConnection(db, async (client) => await checkLedger(client, ledger))
}

async function onConnection<T>(db: Database, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await db.pool.connect().catch((error: unknown) => {
    throw explainFailure(error)
  })
  let failure: Error | undefined
  try {
    return await work(client)
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
    throw explainFailure(error)
  } finally {
    // A connection whose transaction was left open is not reused.
    client.release(failure)
  }
}
