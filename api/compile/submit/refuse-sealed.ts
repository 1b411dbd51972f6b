import { readDataset } from '../../../core/compile/rows/intake/dataset.ts'
import { datasetChunks } from '../../../core/compile/rows/dataset-chunks.ts'
import { inputOfExample } from '../../../core/compile/rows/intake/example.ts'
import { sealedRowsError } from '../../../core/compile/rows/sealed-rows-error.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { CompileServices } from '../services.ts'
import type { CheckedDataset } from './dataset.ts'

/** Throws `sealed_rows` with the count, for examples that are rows of a sealed holdout, with whatever output. */
export async function refuseSealed(
  { op, services }: { readonly op: Operation; readonly services: Pick<CompileServices, 'sealedRows'> },
  dataset: CheckedDataset,
): Promise<void> {
  const count = await services.sealedRows.count(op, inputsOf(dataset))
  if (count > 0) throw sealedRowsError('examples', count)
}

async function* inputsOf(dataset: CheckedDataset): AsyncGenerator<Json> {
  for await (const example of readDataset(datasetChunks(dataset.read()))) yield inputOfExample(example)
}
