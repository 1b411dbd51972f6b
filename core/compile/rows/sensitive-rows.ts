import type { SensitiveClass } from '../../gateway/gate/privacy/classes.ts'
import { scanText } from '../../gateway/gate/privacy/scan/scan-text.ts'
import type { Json } from '../../kernel/json/json.ts'
import { valueText } from '../../model/training/prompt.ts'
import { readDataset } from './intake/dataset.ts'
import { datasetChunks } from './dataset-chunks.ts'
import type { NegativeExample } from './intake/example.ts'

/** Sensitive text in the rows of a fit. */
export interface SensitiveRows {
  readonly rows: number
  readonly classes: readonly SensitiveClass[]
}

/** Finds which classes of sensitive text the rows of a fit hold, and in how many. Unlabelled inputs do not leave. */
export async function findSensitiveRows(bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<SensitiveRows> {
  const classes = new Set<SensitiveClass>()
  let rows = 0
  for await (const example of readDataset(datasetChunks(bytes))) {
    if (example.kind === 'unlabelled') continue
    const values = example.kind === 'positive' ? [example.row.input, example.row.output] : negativesOf(example.negative)
    const finds = values.flatMap((value) => scanText(valueText(value)))
    if (finds.length === 0) continue
    rows++
    for (const find of finds) classes.add(find.kind)
  }
  return { rows, classes: [...classes].toSorted() }
}

function negativesOf(negative: NegativeExample): readonly Json[] {
  return [negative.input, negative.notOutput]
}
