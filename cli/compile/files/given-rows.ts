import { createReadStream } from 'node:fs'
import type { Example } from '../../../core/compile/rows/intake/example.ts'
import { uploadBounds } from '../../../core/compile/rows/intake/bounds.ts'
import { examplesFromJsonl } from '../../../core/compile/rows/intake/jsonl-examples.ts'
import { examplesOfFile } from '../../../core/compile/rows/table/table-examples.ts'
import { selectRows } from '../../../core/compile/rows/intake/select-rows.ts'
import { resolveLimits } from '../../../core/limits.ts'
import type { CompiledRows } from '../../../core/compile/archive/recompute/gather-rows.ts'
import { usageError } from '../../cli-error.ts'

/**
 * Reads the rows of a compile from a text file (JSONL, JSON, CSV), as the service takes them from an upload without a
 * mapping: duplicates removed, contradictions settled. Throws for a file that a compile would refuse.
 */
export async function readGivenRows(file: string): Promise<CompiledRows> {
  const limits = resolveLimits(undefined)
  const bounds = uploadBounds(limits)
  const examples: AsyncIterable<Example> = /\.(jsonl|ndjson)$/i.test(file)
    ? examplesFromJsonl(createReadStream(file), bounds)
    : examplesOfFile({ format: 'text', mapping: {} }, () => createReadStream(file), bounds).examples
  try {
    const { rows, negatives, unlabelled } = await selectRows(examples, {
      maxRows: limits.rows_used_per_compile,
    })
    return { rows, negatives, unlabelled }
  } catch (error) {
    throw usageError(`${file}: ${error instanceof Error ? error.message : 'cannot be read'}`, error)
  }
}
