import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Operation } from '../../kernel/operation.ts'
import { sql } from 'kysely'

/** Name of a batch: its id, or the Idempotency-Key of the call that began it. */
export type BatchName = { readonly id: string } | { readonly key: string; readonly credential: string }

/** Columns of a batch as it stands. */
export const BATCH_COLUMNS = [
  'id',
  'concept_id as conceptId',
  'version_id as versionId',
  'request_hash as requestHash',
  'format',
  'receipts',
  'state',
  'stop_code as stopCode',
  'epoch',
  'rows',
  'settled_rows as settledRows',
  'units',
  'answered',
  'abstained',
  'unlike',
  'errors',
  'marks',
  'receipt',
  'created_at as createdAt',
] as const
export const INPUT_HASH = sql<Sha256>`input_hash`.as('inputHash')

/** Returns a batch of the tenant; null when there is none, or it lies outside of the key's namespaces. */
export async function findBatch(op: Operation, name: BatchName) {
  const [row] = await op.read((q) =>
    q
      .selectFrom('run_batches')
      .select(BATCH_COLUMNS)
      .select(INPUT_HASH)
      .where('tenant_id', '=', op.tenantId)
      .where((of) =>
        'id' in name
          ? of('id', '=', name.id)
          : of.and([of('credential', '=', name.credential), of('key', '=', name.key)]),
      )
      .limit(1),
  )
  return row ?? null
}

/** A batch as it stands. */
export type FoundBatch = NonNullable<Awaited<ReturnType<typeof findBatch>>>

/** Returns a batch of the tenant. Throws `not_found`. */
export async function getBatch(op: Operation, id: string): Promise<FoundBatch> {
  const batch = await findBatch(op, { id })
  if (batch === null) throw KERNEL_ERRORS.not_found('no such batch')
  return batch
}
