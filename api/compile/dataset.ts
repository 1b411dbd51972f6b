import { readDataset, type DatasetWriter } from '../../core/compiler/intake/dataset.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Sha256 } from '../../core/json.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import type { Database } from '../../db/database.ts'
import { putBlob } from '../../db/blobs/put-blob.ts'
import { readBlob } from '../../db/blobs/read-blob.ts'
import { checkSummary, type CheckedDataset } from '../intake/inline-rows.ts'

/** Codes of examples that cannot be compiled. */
export const EXAMPLE_ERRORS = [
  'too_few_examples',
  'too_many_examples',
  'example_too_large',
  'contradictory_examples',
] as const satisfies readonly ErrorCode[]

/** Checked examples that lie in the blob store, or are about to. */
export interface StoredDataset {
  readonly sha256: Sha256
  readonly rows: number
  /** Outputs that must not come. */
  readonly negatives: number
}

/** Stores checked examples. */
export async function storeInline(db: Database, dataset: CheckedDataset): Promise<StoredDataset> {
  const { sha256: stored } = await putBlob(db, dataset.bytes)
  return { sha256: stored, rows: dataset.rows, negatives: dataset.negatives }
}

/**
 * Checks and stores examples as they come in, with bounded memory. What fails a check is never referred to by a job,
 * and is collected from the blob store later. Throws what `checkInline` throws.
 */
export async function storeStream(db: Database, writer: DatasetWriter, limits: Limits): Promise<StoredDataset> {
  const { sha256: stored } = await putBlob(db, writer.chunks)
  const summary = writer.summary()
  await checkSummary(summary, limits, () => readDataset(readBlob(db, stored)))
  return { sha256: stored, rows: summary.rows, negatives: summary.negatives }
}
