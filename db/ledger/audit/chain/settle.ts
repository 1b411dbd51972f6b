import { rootOf, type Database } from '../../../kernel/database.ts'
import { Rounds } from '../../../../core/kernel/threads/fair/rounds.ts'
import { chainWaiting } from '../../across/chain-waiting.ts'

const roundsOf = new WeakMap<Database, Rounds<void>>()

/**
 * Resolves when every line committed to the tenant's ledger before the call is chained. One round at a time runs for a
 * tenant in a process, so that under load one commit chains the entries of many. Throws the errors of the database; the
 * entries then wait for the next call.
 */
export async function settleLedger(
  given: Database,
  { tenantId, now }: { readonly tenantId: string; readonly now: () => Date },
): Promise<void> {
  const db = rootOf(given)
  const rounds = roundsOf.get(db) ?? new Rounds<void>()
  roundsOf.set(db, rounds)
  await rounds.join(tenantId, async () => {
    await chainWaiting(db, tenantId, now)
  })
}
