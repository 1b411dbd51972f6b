import { readDataset, type DatasetWriter } from '../../../core/compile/rows/intake/dataset.ts'
import type { UnansweredRows } from '../../../core/compile/rows/intake/example.ts'
import type { MemberOrder } from '../../../core/compile/rows/inputs/member-order.ts'
import type { ErrorCode } from '../../../core/compile/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import { checkSummary } from '../../../core/compile/rows/check-summary.ts'
import type { InlineDataset } from '../intake/inline-rows.ts'
import type { SpoolBounds, UploadSpool } from '../../kernel/request/spool.ts'

/** Codes of examples that cannot be compiled. */
export const EXAMPLE_ERRORS = [
  'too_few_examples',
  'too_many_examples',
  'example_too_large',
  'contradictory_examples',
] as const satisfies readonly ErrorCode[]

/** Checked examples in their canonical form; nothing of them is in the blob store yet. */
export interface CheckedDataset {
  readonly sha256: Sha256
  readonly sizeBytes: number
  readonly rows: number
  /** Outputs that must not come. */
  readonly negatives: number
  readonly unanswered: UnansweredRows
  readonly members: MemberOrder | null
  /** Of a file: the one column that holds the inputs. */
  readonly inputColumn?: string
  read(): Uint8Array | AsyncIterable<Uint8Array>
}

/** Checked examples of an upload, which wait in the spool; release them in the end. */
export interface SpooledDataset extends CheckedDataset {
  release(): Promise<void>
}

/** Checked examples of a body, whose bytes are in memory. */
export function datasetInMemory({ bytes, ...facts }: InlineDataset): CheckedDataset {
  return { ...facts, sizeBytes: bytes.length, read: () => bytes }
}

/**
 * Checks examples as they come in, with bounded memory: their canonical form waits in the spool. When a check fails
 * nothing is left. Throws what `checkInline` and the spool throw.
 */
export async function checkStream(
  writer: DatasetWriter,
  { spool, bounds, limits }: { readonly spool: UploadSpool; readonly bounds: SpoolBounds; readonly limits: Limits },
): Promise<SpooledDataset> {
  const spooled = await spool.write(writer.chunks, bounds)
  try {
    const summary = writer.summary()
    await checkSummary(summary, limits, () => readDataset(spooled.read()))
    const { rows, negatives, unanswered, members, inputColumn } = summary
    return { ...spooled, rows, negatives, unanswered, members, ...(inputColumn !== undefined && { inputColumn }) }
  } catch (error) {
    await spooled.release()
    throw error
  }
}
