import type { Database } from '../../../db/kernel/database.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { insertWaiting, type WaitingEntry } from '../../../db/ledger/audit/chain/wait-for-chain.ts'

/** Commits a line to a tenant's ledger without its place in the chain. */
export async function commitWaiting(db: Database, entry: WaitingEntry): Promise<void> {
  await tenantOf(db, entry.tenantId).write(async (tx) => await insertWaiting(tx, db, entry))
}
