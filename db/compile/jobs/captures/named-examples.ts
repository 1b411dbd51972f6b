import { readDataset } from '../../../../core/compile/rows/intake/dataset.ts'
import { datasetChunks } from '../../../../core/compile/rows/dataset-chunks.ts'
import { idOfExample } from '../../../../core/compile/rows/intake/merge-examples.ts'
import type { NamedExample } from './record-uses.ts'

/** Examples whose ids are recorded in one statement. */
const BATCH = 2000

/** Yields the examples of a dataset by their ids, batch by batch. */
export async function* namedExamples(
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly NamedExample[]> {
  let batch: NamedExample[] = []
  for await (const example of readDataset(datasetChunks(bytes))) {
    batch.push({ id: idOfExample(example), isPositive: example.kind === 'positive' })
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
