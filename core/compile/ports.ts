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

/** The decision of a gate between two sides, each by the shown artifacts that it is. */
export interface Verdict {
  /** The id of the gate. */
  readonly id: string
  readonly mode: string
  readonly decision: string
  readonly rows: number
  readonly decidedAt: Date
  readonly registrationHash: string
  /** Counted as the gate counts its attempts; null where it counts none. */
  readonly attempt: number | null
  readonly candidates: readonly string[]
  readonly baselines: readonly string[]
}

/** Decisions of gates: a port, which `learn` fills. `Op` is the operation that reads them. */
export interface Verdicts<Op> {
  /** Returns the newest decisions on artifacts, at most `limit`. */
  on(
    op: Op,
    artifacts: readonly { readonly id: string; readonly cid: string }[],
    limit: number,
  ): Promise<readonly Verdict[]>
  /** Returns those of some ids that are decided gates of the tenant. */
  named(op: Op, ids: readonly string[]): Promise<readonly string[]>
}

/** Contents of the rows of evaluations: a port, which `learn` fills. `Op` is the operation that reads them. */
export interface EvaluatedRows<Op> {
  /** Returns the contents by the ids of the rows; none where the evaluation is not the tenant's or its rows are gone. */
  contents(op: Op, evaluationId: string): Promise<Readonly<Record<string, RowContent>>>
}
