import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { readStoredRows, type HoldoutRow } from '../../../core/learn/holdout/parse-rows.ts'
import { saltedRoot } from '../../../core/learn/holdout/prepare-corpus.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { getBlob } from '../../kernel/blobs/read-blob.ts'
import { requireScope, type Operation, type TenantAccess } from '../../kernel/operation.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { unsealRows } from './delete-holdout.ts'
import { findHoldout, noHoldout, type HoldoutFacts } from './find-holdout.ts'
import { openCorpusKey, type CorpusKey } from './seal-rows.ts'

/** Far more than the rows of any body. */
const MOST_BYTES = 256 * 1024 * 1024

/**
 * Unseals a corpus for good: its rows may be read and learned from, and no gate takes it any more. Repeating it changes
 * nothing. Throws `not_found`.
 */
export async function revealHoldout(op: Operation, name: string): Promise<HoldoutFacts> {
  requireScope(op, 'eval:write')
  await op.write(async (tx) => {
    const [revealed] = await tx.q
      .updateTable('holdout_corpora')
      .set({ state: 'revealed', revealed_at: op.now() })
      .where('tenant_id', '=', op.tenantId)
      .where('name', '=', name.toLowerCase())
      .where('state', '=', 'sealed')
      .returning(['id', 'row_count as rows', 'root'])
      .execute()
    if (revealed === undefined) return
    await unsealRows(tx, op, revealed.id)
    await recordAudit(tx, op, {
      action: 'holdout.revealed',
      target: revealed.id,
      payload: { holdout_id: revealed.id, corpus_id: name.toLowerCase(), rows: revealed.rows, root: revealed.root },
    })
  })
  return await findHoldout(op, name)
}

/** The rows of a corpus, and the salt of their root. */
export interface OpenedHoldout {
  readonly rows: readonly HoldoutRow[]
  readonly salt: Uint8Array
}

/** Returns the rows of a revealed corpus. Throws `not_found`, and `holdout_sealed` for one that is not revealed. */
export async function readRevealed(op: Operation, name: string): Promise<OpenedHoldout> {
  const { id, state } = await findHoldout(op, name)
  if (state !== 'revealed') {
    throw LEARN_ERRORS.holdout_sealed('this holdout is sealed: no answer holds its rows until it is revealed')
  }
  return await openHoldout(op, id)
}

/** Opens the rows of a corpus, whatever its state: for gates, which answer none of them. Throws `not_found`. */
export async function openHoldout(op: TenantAccess, holdoutId: string): Promise<OpenedHoldout> {
  const [corpus] = await op.read((q) =>
    q
      .selectFrom('holdout_corpora')
      .select(['sealed_key as sealedKey', 'blob_sha256 as blob', 'root'])
      .where('id', '=', holdoutId)
      .where('tenant_id', '=', op.tenantId),
  )
  if (!corpus?.sealedKey || !corpus.blob) throw noHoldout()
  const key: CorpusKey = openCorpusKey(op.db.secrets, op.tenantId, holdoutId, corpus.sealedKey)
  const digest: Sha256 = `sha256:${corpus.blob.slice('sha256:'.length)}`
  const rows = readStoredRows(key.open(await getBlob(op.db, digest, MOST_BYTES)))
  if (saltedRoot(rows, key.salt) !== corpus.root) throw KERNEL_ERRORS.internal('the rows of a holdout were changed')
  return { rows, salt: key.salt }
}
