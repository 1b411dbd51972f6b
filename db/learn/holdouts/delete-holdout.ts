import { sql } from 'kysely'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { noHoldout } from './find-holdout.ts'

/** Deletes a corpus: its rows and their key. Throws `not_found`. */
export async function deleteHoldout(op: Operation, name: string): Promise<void> {
  requireScope(op, 'eval:write')
  await op.write(async (tx) => {
    if (!(await deleteInTransaction(tx, op, name))) throw noHoldout()
  })
}

/** Deletes a corpus within a transaction; returns false where there is none. The keys of its rows stay. */
export async function deleteInTransaction(tx: Transaction, op: Operation, name: string): Promise<boolean> {
  const [corpus] = await tx.q
    .selectFrom('holdout_corpora')
    .select(['id', 'blob_sha256 as blob'])
    .where('tenant_id', '=', op.tenantId)
    .where('name', '=', name.toLowerCase())
    .where('state', '<>', 'deleted')
    .forUpdate()
    .execute()
  if (corpus === undefined) return false
  await tx.q
    .updateTable('holdout_corpora')
    .set({ state: 'deleted', sealed_key: null, blob_sha256: null, deleted_at: op.now() })
    .where('id', '=', corpus.id)
    .where('tenant_id', '=', op.tenantId)
    .execute()
  await unsealRows(tx, op, corpus.id)
  await tx.q
    .updateTable('blobs')
    .set({ review_at: sql<Date>`now()` })
    .where(sql<boolean>`sha256 = ${corpus.blob}`)
    .execute()
  await recordAudit(tx, op, {
    action: 'holdout.deleted',
    target: corpus.id,
    payload: { holdout_id: corpus.id, corpus_id: name.toLowerCase() },
  })
  return true
}

/** Lets examples have the rows of a corpus again. */
export async function unsealRows(tx: Transaction, { tenantId }: Operation, corpusId: string): Promise<void> {
  await tx.q
    .updateTable('holdout_rows')
    .set({ is_sealed: false })
    .where('corpus_id', '=', corpusId)
    .where('tenant_id', '=', tenantId)
    .execute()
}
