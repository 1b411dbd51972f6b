import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { sha256, type JsonObject } from '../../../core/kernel/json/json.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { PreparedCorpus } from '../../../core/learn/holdout/prepare-corpus.ts'
import { ROW_KEY_VERSION } from '../../../core/learn/holdout/row-key.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import { discardUpload, publishUpload } from '../../kernel/blobs/uploads.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json } from '../../kernel/queries/typed.ts'
import { stageBytes } from '../../kernel/storage/stage-bytes.ts'
import { inAllNamespaces, lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { deleteInTransaction } from './delete-holdout.ts'
import { findHoldout, type HoldoutFacts } from './find-holdout.ts'
import { joinLineage, requireUnrevealed } from './known-rows.ts'
import { rekeyHoldouts } from './rekey-holdouts.ts'
import { insertKeys } from './row-keys.ts'
import { makeCorpusKey } from './seal-rows.ts'

/** A corpus to store. */
export interface StoreHoldoutInput {
  readonly name: string
  readonly namespace: string | null
  readonly tags: readonly string[]
  readonly metadata: JsonObject
  /** True to put it in place of one that has the name. */
  readonly replace: boolean
  /** Reads the rows, with the salt of the corpus. */
  readonly prepare: (salt: Uint8Array) => Promise<PreparedCorpus>
  readonly limits: Limits
}

/**
 * Seals a corpus and stores it. One that is the same as earlier ones, also deleted ones, continues their lineage. Throws
 * `holdout_exists`, `holdout_revealed` when it is the same as revealed ones, `limit_reached`, `storage_allowance_used` and what
 * `prepare` throws.
 */
export async function storeHoldout(op: Operation, input: StoreHoldoutInput): Promise<HoldoutFacts> {
  await rekeyHoldouts(op)
  const id = newId('hld')
  const key = makeCorpusKey(op.db.secrets, op.tenantId, id)
  const { bytes, ...corpus } = await input.prepare(key.salt)
  const sealed = key.seal(bytes)
  const staged = await stageBytes(
    op,
    { sha256: sha256(sealed), sizeBytes: sealed.length, read: () => sealed },
    input.limits,
  )
  let isStored = false
  try {
    await op.write(async (tx) => {
      await requireLiveTenant(tx, op.tenantId)
      await lockInTransaction(tx, `holdouts ${op.tenantId}`)
      await inAllNamespaces(tx, 'names and the number of corpora are of the whole tenant', async () => {
        await requireRoom(tx, op, input)
      })
      if (input.replace) await deleteInTransaction(tx, op, input.name)
      await publishUpload(tx, staged)
      await tx.q
        .insertInto('holdout_corpora')
        .values({
          id,
          tenant_id: op.tenantId,
          name: input.name,
          namespace: input.namespace,
          lineage_id: id,
          state: 'sealed',
          row_count: corpus.rowCount,
          skipped: corpus.skipped,
          size_bytes: bytes.length,
          root: corpus.root,
          normalized_hash: corpus.normalizedHash,
          key_version: ROW_KEY_VERSION,
          tags: json(input.tags),
          metadata: json(input.metadata),
          sealed_key: Buffer.from(key.sealedKey),
          blob_sha256: staged.sha256,
          created_at: op.now(),
        })
        .execute()
      await insertKeys(tx, op, { corpusId: id, keys: corpus.keys, isSealed: true })
      // Neither answers nor audit lines name the lineage: it would confirm guesses of sealed rows.
      await inAllNamespaces(tx, 'the same rows are the same corpus in every namespace', async () => {
        await requireUnrevealed(tx, op, { id, field: 'rows' })
        await joinLineage(tx, op, id)
      })
      await recordAudit(tx, op, {
        action: 'holdout.stored',
        target: id,
        payload: {
          holdout_id: id,
          corpus_id: input.name,
          rows: corpus.rowCount,
          root: corpus.root,
        },
      })
    })
    isStored = true
  } finally {
    if (!isStored) await discardUpload(op.db, staged.storageId).catch(() => undefined)
  }
  return await findHoldout(op, input.name)
}

async function requireRoom(tx: Transaction, op: Operation, input: StoreHoldoutInput): Promise<void> {
  const [known, stored] = await tx.read((q) => [
    q
      .selectFrom('holdout_corpora')
      .select('namespace')
      .where('tenant_id', '=', op.tenantId)
      .where('name', '=', input.name)
      .where('state', '<>', 'deleted'),
    q.selectFrom('holdout_corpora').select(q.fn.countAll<number>().as('count')).where('tenant_id', '=', op.tenantId),
  ])
  if (known[0] !== undefined && (!input.replace || known[0].namespace !== input.namespace)) {
    throw LEARN_ERRORS.holdout_exists(
      `corpus_id: you have a holdout ${input.name} already; choose another name, or set replace`,
    )
  }
  const most = input.limits.holdouts_per_tenant
  if ((stored[0]?.count ?? 0) >= most) {
    throw ACCOUNTS_ERRORS.limit_reached(`you have stored ${most} holdouts, deleted ones included; that is the most`, {
      details: { max: most },
    })
  }
}
