import { readDataset } from '../../../../core/compile/rows/intake/dataset.ts'
import { datasetChunks } from '../../../../core/compile/rows/dataset-chunks.ts'
import { idOfExample } from '../../../../core/compile/rows/intake/merge-examples.ts'
import type { NamedExample } from './record-uses.ts'

/** Examples whose ids are recorded in one statement. */
const BATCH = 2000

/**
 * Yields the examples of a dataset by their ids, batch by batch; without negatives, those that have the id of another
 * example do not come twice.
 */
export async function* namedExamples(
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  { withNegatives }: { readonly withNegatives: boolean } = { withNegatives: true },
): AsyncGenerator<readonly NamedExample[]> {
  let batch: NamedExample[] = []
  for await (const example of readDataset(datasetChunks(bytes))) {
    if (!withNegatives && example.kind === 'negative') continue
    batch.push({ id: idOfExample(example), isPositive: example.kind === 'positive' })
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
