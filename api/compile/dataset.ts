import { inlineBounds, type IntakeBounds } from '../../core/compiler/intake/bounds.ts'
import { readDataset, selectRows, writeDataset } from '../../core/compiler/intake/dataset.ts'
import type { DatasetSummary, Example } from '../../core/compiler/intake/example.ts'
import { examplesFromInline, examplesFromUnlabelled } from '../../core/compiler/intake/sources.ts'
import { invalidField, type ErrorCode } from '../../core/errors.ts'
import { sha256, type Sha256 } from '../../core/json.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import type { SpoolBounds, UploadSpool } from './spool.ts'

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

/** Checked examples in their canonical form; nothing of them is in the blob store yet. */
export interface CheckedDataset {
  readonly sha256: Sha256
  readonly sizeBytes: number
  readonly rows: number
  /** Outputs that must not come. */
  readonly negatives: number
  read(): Uint8Array | AsyncIterable<Uint8Array>
}

/** Checked examples of an upload, which wait in the spool; release them in the end. */
export interface SpooledDataset extends CheckedDataset {
  release(): Promise<void>
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
  return {
    sha256: sha256(bytes),
    sizeBytes: bytes.length,
    rows: summary.rows,
    negatives: summary.negatives,
    read: () => bytes,
  }
}

async function* readInline(
  examples: readonly unknown[],
  unlabelled: readonly unknown[],
  bounds: IntakeBounds,
): AsyncGenerator<Example> {
  yield* examplesFromInline(examples, bounds)
  yield* examplesFromUnlabelled(unlabelled, bounds)
}

/**
 * Checks examples as they come in, with bounded memory: their canonical form waits in the spool. When a check fails
 * nothing is left. Throws what `checkInline` and the spool throw.
 */
export async function checkStream(
  examples: AsyncIterable<Example>,
  { spool, bounds, limits }: { readonly spool: UploadSpool; readonly bounds: SpoolBounds; readonly limits: Limits },
): Promise<SpooledDataset> {
  const writer = writeDataset(examples)
  const spooled = await spool.write(writer.chunks, bounds)
  try {
    const summary = writer.summary()
    await checkSummary(summary, limits, () => readDataset(spooled.read()))
    return { ...spooled, rows: summary.rows, negatives: summary.negatives }
  } catch (error) {
    await spooled.release()
    throw error
  }
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
