import type { Database } from '../database.ts'
import type { Transaction } from '../transaction.ts'
import { requestPoke } from '../workflow-starts/request-poke.ts'

/** Asks for the workflow that clears up after a tenant that is no more. */
export async function requestDeletion(
  tx: Transaction,
  db: Database,
  { tenantId, now }: { readonly tenantId: string; readonly now: Date },
): Promise<void> {
  await requestPoke(tx, db, { family: 'deletion', workflowId: `${tenantId}/deletion`, tenantId, now })
}
