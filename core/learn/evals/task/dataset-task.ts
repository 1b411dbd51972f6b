import { canonicalJson, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { labelOf, pairOf, type RowForm, type RowType } from '../../datasets/rows/row-content.ts'

/** Splits of an evaluation on a dataset: the rows that are evaluated, and those that examples come from. */
export const DATASET_SPLITS = { evaluated: 'test', examples: 'train' } as const

/** The task of an evaluation on a dataset that names none: the output of a row, word for word. */
export const DATASET_TASK = `task: dataset
training_split: ${DATASET_SPLITS.examples}
test_split: ${DATASET_SPLITS.evaluated}
doc_to_text: input
doc_to_target: output
metric_list:
  - metric: exact_match
`

/** A row of a dataset that is evaluated. */
export interface DatasetRow {
  readonly id: string
  /** Hash of the row in the tree of its version, hexadecimal. */
  readonly hash: string
  readonly row: JsonObject
}

/**
 * Returns a row of a dataset as a row of a task: its own columns, with `input` and `output`, and `row_id` and `row_hash`. The
 * output of a conversation is the text of its last answer; for an artifact it is the JSON that an artifact learns from it.
 */
export function taskRow(
  { id, hash, row }: DatasetRow,
  { type, form, isForArtifact }: { readonly type: RowType; readonly form: RowForm; readonly isForArtifact: boolean },
): JsonObject {
  const { input, output } = pairOf(row)
  const text: Json = isForArtifact ? textOf(output) : labelOf({ type, form, row })
  return { ...row, input, output: type === 'unpaired' ? textOf(output) : text, row_id: id, row_hash: hash }
}

function textOf(output: Json): Json {
  return output === null || typeof output === 'string' ? output : canonicalJson(output)
}
