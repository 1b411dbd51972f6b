import type { Json } from '../kernel/json/json.ts'
import type { RowContent } from './artifacts/diagnosis/judged-row.ts'
import type { Example } from './rows/intake/example.ts'

/** A version of a dataset that is open for a compile. */
export interface OpenDataset {
  readonly datasetId: string
  readonly version: number
  /** Root of the Merkle tree over its rows. */
  readonly merkleRoot: string
  readonly namespace: string
  /** Returns its rows as examples, in their order; held-out rows are of kind `test`. */
  examples(): AsyncIterable<Example>
}

/** Datasets as the rows of compiles: a port, which `learn` fills. `Op` is the operation that reads them. */
export interface DatasetRows<Op> {
  /**
   * Opens a version, the newest when none is named. Throws `not_found`, also for another tenant's, `dataset_not_ready`,
   * and `validation_failed` for rows without an output.
   */
  open(op: Op, asked: { readonly datasetId: string; readonly version: number | undefined }): Promise<OpenDataset>
}

/** Rows that are kept out of all training: a port, which `learn` fills. `Call` is the operation of a tenant. */
export interface SealedRows<Call> {
  /** Returns how many of the inputs are those of sealed rows of the tenant, in any of its namespaces. */
  count(call: Call, inputs: AsyncIterable<Json>): Promise<number>
}

/** Contents of the rows of evaluations: a port, which `learn` fills. `Op` is the operation that reads them. */
export interface EvaluatedRows<Op> {
  /** Returns the contents by the ids of the rows; none where the evaluation is not the tenant's or its rows are gone. */
  contents(op: Op, evaluationId: string): Promise<Readonly<Record<string, RowContent>>>
}
