import { createReadStream } from 'node:fs'
import { examplesFromCsv } from '../../core/compile/rows/intake/csv-examples.ts'
import type { Example } from '../../core/compile/rows/intake/example.ts'
import { uploadBounds } from '../../core/compile/rows/intake/bounds.ts'
import { examplesFromJsonl } from '../../core/compile/rows/intake/jsonl-examples.ts'
import { selectRows } from '../../core/compile/rows/intake/select-rows.ts'
import { DEFAULT_LIMITS } from '../../core/limits.ts'
import type { CompiledRows } from '../../core/compile/archive/recompute/gather-rows.ts'
import { usageError } from '../cli-error.ts'

/**
 * Reads the rows of a compile from a `.jsonl` or `.csv` file, as the service takes them from an upload: duplicates
 * removed, contradictions settled. Throws for a file that a compile would refuse.
 */
export async function readGivenRows(file: string): Promise<CompiledRows> {
  const bytes = createReadStream(file)
  const bounds = uploadBounds(DEFAULT_LIMITS)
  const examples: AsyncIterable<Example> = /\.csv$/i.test(file)
    ? examplesFromCsv(bytes, bounds)
    : examplesFromJsonl(bytes, bounds)
  try {
    const { rows, negatives, unlabelled } = await selectRows(examples, {
      maxRows: DEFAULT_LIMITS.rows_used_per_compile,
    })
    return { rows, negatives, unlabelled }
  } catch (error) {
    throw usageError(`${file}: ${error instanceof Error ? error.message : 'cannot be read'}`, error)
  }
}
