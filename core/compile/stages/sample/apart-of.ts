import { splitApart } from '../../rows/split/split-rows.ts'
import type { Split } from '../../rows/split/split-report.ts'
import type { Row } from '../../rows/task.ts'
import type { SampleOutput } from '../stage-types.ts'

/**
 * Returns the split whose train rows a teacher or an adapter may see, and whose other rows score it; null when there are
 * too few rows. It is that of the sample where one was held out or marked, and made from the rows for a sample of an
 * earlier version that left out one row at a time.
 */
export function apartOf({ split, apart }: Pick<SampleOutput, 'split' | 'apart'>, rows: readonly Row[]): Split | null {
  switch (split.mode) {
    case 'cross_fit':
      return apart ?? null
    case 'leave_one_out':
      return splitApart(rows, seedOf(split))
    case 'holdout':
    case 'test_rows':
      return split
  }
}

function seedOf({ provenance }: Split): { readonly seed?: string } {
  return provenance.split_seed === null ? {} : { seed: provenance.split_seed }
}
