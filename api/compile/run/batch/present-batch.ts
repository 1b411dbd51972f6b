import type { z } from 'zod'
import type { BatchView } from '../../../../core/compile/wire/batches.ts'
import type { FoundBatch } from '../../../../db/compile/batches/find-batch.ts'

/** Returns a batch as answers show it. */
export function presentBatch(batch: FoundBatch): z.input<typeof BatchView> {
  return {
    id: batch.id,
    state: batch.state,
    stop_code: batch.stopCode,
    concept_id: batch.conceptId,
    version_id: batch.versionId,
    format: batch.format,
    receipts: batch.receipts,
    rows: batch.rows,
    settled_rows: batch.settledRows,
    answered: batch.answered,
    abstained: batch.abstained,
    unlike_examples: batch.unlike,
    errors: batch.errors,
    units: batch.units,
    created_at: batch.createdAt.toISOString(),
    receipt: batch.receipt,
  }
}
