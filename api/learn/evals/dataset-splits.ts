import { invalidField } from '../../../core/kernel/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { EvalDataset } from '../../../core/learn/evals/evaluation.ts'
import { DATASET_SPLITS, taskRow } from '../../../core/learn/evals/task/dataset-task.ts'
import { hashOf, splitRows } from '../../../core/learn/evals/task/split-dataset.ts'
import type { SplitRows } from '../../../core/learn/evals/prompts/prepare-task.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import type { StoredRow } from '../../../core/learn/datasets/rows/stored-row.ts'
import { findReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { countForgotten, pendingForgets } from '../../../db/learn/datasets/forget/pending-forgets.ts'
import { streamRows, type PlacedRow } from '../../../db/learn/datasets/read-rows.ts'
import type { Operation } from '../../../db/kernel/operation.ts'

/** Rows of a dataset as the splits of an evaluation. */
export interface DatasetSplits {
  readonly splits: SplitRows
  readonly dataset: EvalDataset
  readonly namespace: string
  readonly forgetsSeen: { readonly datasetId: string; readonly count: number }
}

/**
 * Reads the rows of a version of a dataset for an evaluation: those of the asked side as the evaluated split, those to learn
 * from as examples. No row is both, also by its content, and forgotten rows are neither. Throws `not_found`,
 * `dataset_not_ready`, and `validation_failed` for rows without an output and for more than an evaluation may have.
 */
export async function readDataset(
  op: Operation,
  asked: { readonly id: string; readonly version?: number | undefined; readonly side: EvalDataset['side'] },
  how: { readonly limits: Limits; readonly limit: number | null; readonly isForArtifact: boolean },
): Promise<DatasetSplits> {
  const version = await findReadyVersion(op, asked.id, asked.version)
  const { rowType: type, rowForm: form } = version
  if (type === null || type === undefined || form === null || form === undefined) {
    throw invalidField('dataset', 'has no rows')
  }
  if (type === 'text' && form === 'plain') throw invalidField('dataset', 'has rows of type text, which have no output')
  const count = await countForgotten(op, op.tenantId, asked.id)
  const { hashes } = await pendingForgets(op, asked.id)
  const rows = streamRows(op.db, version, hashes)
  const { evaluated, examples } = await splitRows(rows, asked.side, how)
  if (evaluated.length === 0) throw invalidField('dataset', `has no rows on the side ${asked.side}`)
  const toTask = ({ record, stored }: PlacedRow & { readonly stored: StoredRow }): JsonObject =>
    taskRow({ id: stored.id, hash: hashOf(record), row: stored.row }, { type, form, isForArtifact: how.isForArtifact })
  return {
    splits: {
      [DATASET_SPLITS.evaluated]: evaluated.map(toTask),
      [DATASET_SPLITS.examples]: examples.map(toTask),
    },
    dataset: {
      datasetId: asked.id,
      version: version.version,
      side: asked.side,
      merkleRoot: version.merkleRoot ?? '',
    },
    namespace: version.namespace,
    forgetsSeen: { datasetId: asked.id, count },
  }
}
