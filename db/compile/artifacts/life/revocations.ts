import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import { lockInTransaction, type Transaction } from '../../../kernel/transaction.ts'

/**
 * Adds an archive to the list of revoked ones, under the next number. The lock is held until the commit, so numbers follow
 * the order of commits, and a list with a number is always the same list. It is taken after the locks of rows.
 */
export async function addRevocation(
  tx: Transaction,
  entry: { readonly cid: string; readonly artifactHash: Sha256; readonly at: Date },
): Promise<void> {
  await lockInTransaction(tx, 'revocations')
  const last = await tx.q
    .selectFrom('revocations')
    .select((of) => of.fn.max<number | null>('number').as('number'))
    .executeTakeFirst()
  await tx.q
    .insertInto('revocations')
    .values({
      number: Number(last?.number ?? 0) + 1,
      cid: entry.cid,
      artifact_hash: entry.artifactHash,
      revoked_at: entry.at,
    })
    .onConflict((on) => on.column('artifact_hash').doNothing())
    .execute()
}
