import { invalidField } from '../../../core/kernel/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { EvalDataset } from '../../../core/learn/evals/evaluation.ts'
import { DATASET_SPLITS, taskRow } from '../../../core/learn/evals/task/dataset-task.ts'
import type { SplitRows } from '../../../core/learn/evals/prompts/prepare-task.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { findReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { countForgotten, pendingForgets } from '../../../db/learn/datasets/forget/pending-forgets.ts'
import { streamRows } from '../../../db/learn/datasets/read-rows.ts'
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
 * from as examples. Rows that were forgotten are none of them. Throws `not_found`, `dataset_not_ready`, and
 * `validation_failed` for rows without an output and for more than an evaluation may have.
 */
export async function readDataset(
  op: Operation,
  asked: { readonly id: string; readonly version?: number | undefined; readonly side: EvalDataset['side'] },
  how: { readonly limits: Limits; readonly limit: number | null; readonly isForArtifact: boolean },
): Promise<DatasetSplits> {
  const { limits, limit, isForArtifact } = how
  const version = await findReadyVersion(op, asked.id, asked.version)
  const { rowType: type, rowForm: form } = version
  if (type === null || type === undefined || form === null || form === undefined) {
    throw invalidField('dataset', 'has no rows')
  }
  if (type === 'text' && form === 'plain') throw invalidField('dataset', 'has rows of type text, which have no output')
  const count = await countForgotten(op, op.tenantId, asked.id)
  const { hashes } = await pendingForgets(op, asked.id)
  const most = Math.min(limit ?? limits.evaluation_rows, limits.evaluation_rows)
  const evaluated: JsonObject[] = []
  const examples: JsonObject[] = []
  let sizeBytes = 0
  for await (const { record, stored } of streamRows(op.db, version, hashes)) {
    const isAsked = asked.side === 'all' || record.isHeld === (asked.side === 'holdout')
    const isExample = !record.isHeld && examples.length < limits.evaluation_rows
    if (isAsked && evaluated.length === most && limit === null) {
      throw invalidField('dataset', `has more than ${most} such rows; set limit`)
    }
    const isEvaluated = isAsked && evaluated.length < most
    if (!isEvaluated && !isExample) continue
    sizeBytes += record.length
    if (sizeBytes > limits.evaluation_prompt_bytes) {
      throw invalidField('dataset', `has more than ${limits.evaluation_prompt_bytes} bytes of rows; set limit`)
    }
    const hash = Buffer.from(record.hash).toString('hex')
    const row = taskRow({ id: stored.id, hash, row: stored.row }, { type, form, isForArtifact })
    if (isEvaluated) evaluated.push(row)
    if (isExample) examples.push(row)
  }
  if (evaluated.length === 0) throw invalidField('dataset', `has no rows on the side ${asked.side}`)
  return {
    splits: { [DATASET_SPLITS.evaluated]: evaluated, [DATASET_SPLITS.examples]: examples },
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
