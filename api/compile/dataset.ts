import { inlineBounds, type IntakeBounds } from '../../core/compiler/intake/bounds.ts'
import { readDataset, selectRows, writeDataset } from '../../core/compiler/intake/dataset.ts'
import type { DatasetSummary, Example } from '../../core/compiler/intake/example.ts'
import { examplesFromInline, examplesFromUnlabelled } from '../../core/compiler/intake/sources.ts'
import { invalidField, type ErrorCode } from '../../core/errors.ts'
import { sha256, type Sha256 } from '../../core/json.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import type { Database } from '../../db/database.ts'
import { putBlob } from '../../db/blobs/put-blob.ts'
import { readBlob } from '../../db/blobs/read-blob.ts'

/** From this many rows on a contradiction is settled by the majority; below it, the caller is asked to settle it. */
const MAJORITY_FROM_ROWS = 100

/** Codes of examples that cannot be compiled. */
export const EXAMPLE_ERRORS = [
  'too_few_examples',
  'too_many_examples',
  'example_too_large',
  'contradictory_examples',
] as const satisfies readonly ErrorCode[]

/** Examples of a body, as they came. */
export interface InlineExamples {
  readonly examples: readonly unknown[]
  /** Inputs without an output. */
  readonly unlabelled: readonly unknown[]
}

/** Checked examples that lie in the blob store, or are about to. */
export interface StoredDataset {
  readonly sha256: Sha256
  readonly rows: number
  /** Outputs that must not come. */
  readonly negatives: number
}

/** Checked inline examples with their canonical bytes; nothing is stored yet. */
export interface CheckedDataset extends StoredDataset {
  readonly bytes: Uint8Array
}

/**
 * Checks inline examples, all of them before anything is stored. Throws `validation_failed`, `no_examples`,
 * `too_few_examples`, `too_many_examples`, `example_too_large`, `contradictory_examples`, each with the field.
 */
export async function checkInline({ examples, unlabelled }: InlineExamples, limits: Limits): Promise<CheckedDataset> {
  const writer = writeDataset(readInline(examples, unlabelled, inlineBounds(limits)))
  const chunks: Uint8Array[] = []
  for await (const chunk of writer.chunks) chunks.push(chunk)
  const summary = writer.summary()
  await checkSummary(summary, limits, () => readDataset(replay(chunks)))
  const bytes = Buffer.concat(chunks)
  return { sha256: sha256(bytes), rows: summary.rows, negatives: summary.negatives, bytes }
}

async function* readInline(
  examples: readonly unknown[],
  unlabelled: readonly unknown[],
  bounds: IntakeBounds,
): AsyncGenerator<Example> {
  yield* examplesFromInline(examples, bounds)
  yield* examplesFromUnlabelled(unlabelled, bounds)
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
export async function storeStream(
  db: Database,
  examples: AsyncIterable<Example>,
  limits: Limits,
): Promise<StoredDataset> {
  const writer = writeDataset(examples)
  const { sha256: stored } = await putBlob(db, writer.chunks)
  const summary = writer.summary()
  await checkSummary(summary, limits, () => readDataset(readBlob(db, stored)))
  return { sha256: stored, rows: summary.rows, negatives: summary.negatives }
}

async function checkSummary(
  summary: DatasetSummary,
  limits: Limits,
  reread: () => AsyncIterable<Example>,
): Promise<void> {
  if (summary.rows === 0) throw invalidField('examples', 'must hold at least two examples', 'no_examples')
  if (summary.rows < MAJORITY_FROM_ROWS && summary.contradictions > 0) {
    await selectRows(reread(), { maxRows: limits.rows_used_per_compile })
  }
  if (summary.distinctInputs < 2) {
    throw invalidField('examples', 'must hold at least two examples with different inputs', 'too_few_examples')
  }
}

async function* replay(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}
