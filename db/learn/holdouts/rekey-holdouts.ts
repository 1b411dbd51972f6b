import { setImmediate as turn } from 'node:timers/promises'
import { DomainError } from '../../../core/kernel/errors.ts'
import { normalizedHash } from '../../../core/learn/holdout/prepare-corpus.ts'
import { corpusKeys, ROW_KEY_VERSION } from '../../../core/learn/holdout/row-key.ts'
import { apart, tenantOf, type Operation, type TenantAccess } from '../../kernel/operation.ts'
import { serviceKey } from '../../kernel/secrets/service-secrets.ts'
import { inAllNamespaces, lockInTransaction } from '../../kernel/transaction.ts'
import { joinLineage } from './known-rows.ts'
import { openHoldout } from './reveal-holdout.ts'
import { insertKeys } from './row-keys.ts'

/**
 * Gives the corpora of the tenant whose rows have keys of an earlier version those of today, from their rows. Safe to repeat.
 * Deleted corpora have no rows, and keep their keys.
 */
export async function rekeyHoldouts(op: Operation): Promise<void> {
  // In all namespaces: sealed rows are kept out of the training of every one.
  const all = tenantOf(op.db, op.tenantId)
  const outdated = await all.read((q) =>
    q
      .selectFrom('holdout_corpora')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('key_version', '<', ROW_KEY_VERSION)
      .where('blob_sha256', 'is not', null)
      .orderBy('created_at')
      .orderBy('id'),
  )
  if (outdated.length === 0) return
  const { secret } = await serviceKey(op.db, 'fingerprint', op.db)
  for (const { id } of outdated) {
    const rows = await rowsOf(all, id)
    if (rows === null) continue
    const found = corpusKeys(
      secret,
      op.tenantId,
      rows.map(({ input }) => input),
    )
    await turn()
    await replaceKeys(op, id, [...new Map(found.map((key) => [key.toString('latin1'), key])).values()])
  }
}

/** Returns the rows of a corpus; null for one that was deleted in the meantime. */
async function rowsOf(all: TenantAccess, id: string) {
  try {
    return (await openHoldout(all, id)).rows
  } catch (error) {
    if (error instanceof DomainError && error.code === 'not_found') return null
    throw error
  }
}

/** Commits at once: a call that is refused by the new keys must not take them back. */
async function replaceKeys(op: Operation, corpusId: string, keys: readonly Buffer[]): Promise<void> {
  await apart(op).write(async (tx) => {
    await lockInTransaction(tx, `holdouts ${op.tenantId}`)
    await inAllNamespaces(tx, 'the rows of every namespace are sealed for all of them', async () => {
      const [corpus] = await tx.q
        .updateTable('holdout_corpora')
        .set({ key_version: ROW_KEY_VERSION, normalized_hash: normalizedHash(keys) })
        .where('id', '=', corpusId)
        .where('tenant_id', '=', op.tenantId)
        .where('key_version', '<', ROW_KEY_VERSION)
        .where('state', '<>', 'deleted')
        .returning('state')
        .execute()
      if (corpus === undefined) return
      await tx.q
        .deleteFrom('holdout_rows')
        .where('corpus_id', '=', corpusId)
        .where('tenant_id', '=', op.tenantId)
        .execute()
      await insertKeys(tx, op, { corpusId, keys: Buffer.concat(keys), isSealed: corpus.state === 'sealed' })
      await joinLineage(tx, op, corpusId)
    })
  })
}
