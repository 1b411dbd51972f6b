import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { BatchFormat } from '../../../core/ledger/receipts/batch-receipt.ts'
import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import { json } from '../../kernel/queries/typed.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { BATCH_COLUMNS, getBatch, INPUT_HASH, type FoundBatch } from './find-batch.ts'

/** A batch that begins. */
export interface NewBatch {
  readonly conceptId: string
  readonly versionId: string
  readonly key: { readonly key: string; readonly credential: string } | null
  readonly inputHash: Sha256
  readonly requestHash: Sha256
  readonly format: BatchFormat
  readonly receipts: 'batch' | 'rows'
  readonly rows: number
}

/** Records a batch that begins. Throws `batch_continued` when another call with its key began it meanwhile. */
export async function createBatch(op: Operation, batch: NewBatch): Promise<FoundBatch> {
  const id = newId('bat')
  const now = op.now()
  await op.write(async (tx) => {
    const created = await tx.q
      .insertInto('run_batches')
      .values({
        id,
        tenant_id: op.tenantId,
        concept_id: batch.conceptId,
        version_id: batch.versionId,
        key: batch.key?.key ?? null,
        credential: batch.key?.credential ?? null,
        input_hash: batch.inputHash,
        request_hash: batch.requestHash,
        format: batch.format,
        receipts: batch.receipts,
        state: 'running',
        stop_code: null,
        epoch: 1,
        rows: batch.rows,
        settled_rows: 0,
        units: 0,
        answered: 0,
        abstained: 0,
        unlike: 0,
        errors: 0,
        marks: json([]),
        receipt: null,
        created_at: now,
        touched_at: now,
      })
      .onConflict((on) => on.doNothing())
      .returning('id')
      .execute()
    if (created.length === 0) throw continuedElsewhere()
  })
  return await getBatch(op, id)
}

/**
 * Takes a batch over: rows that another stream of it would settle are refused from now on. Returns it as it stands then.
 * Throws `not_found`.
 */
export async function continueBatch(op: Operation, id: string): Promise<FoundBatch> {
  // Read by the same statement: a later read could see the epoch of another call.
  const [batch] = await op.write(
    async (tx) =>
      await tx.q
        .updateTable('run_batches')
        .set((of) => ({ epoch: of('epoch', '+', 1), touched_at: sql<Date>`greatest(touched_at, ${op.now()})` }))
        .where('id', '=', id)
        .where('tenant_id', '=', op.tenantId)
        .returning(BATCH_COLUMNS)
        .returning(INPUT_HASH)
        .execute(),
  )
  if (batch === undefined) throw KERNEL_ERRORS.not_found('no such batch')
  return batch
}

/** Returns the error of a stream whose batch another call has taken over. */
export function continuedElsewhere() {
  return COMPILE_ERRORS.batch_continued('another call continues this batch; read its answer, or repeat this call')
}
