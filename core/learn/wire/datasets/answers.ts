import { z } from 'zod'
import { ROW_FORMS, ROW_TYPES } from '../../datasets/rows/row-content.ts'
import { SIDES, VERSION_STATES } from '../../datasets/states.ts'
import { DatasetId } from '../../../kernel/wire/ids.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { Quality } from './quality.ts'

const Count = z.int()
const Time = z.iso.datetime()

/** A version of a dataset. */
export const VersionView = z
  .object({
    version: Count,
    state: z.enum(VERSION_STATES),
    kind: z.enum(['captures', 'import', 'split']).meta({ description: 'What made it' }),
    base_version: Count.nullable().meta({ description: 'The version that it goes on from' }),
    row_count: Count,
    train_count: Count,
    holdout_count: Count,
    forgotten_count: Count.meta({ description: 'Rows whose capture was forgotten: their content is gone' }),
    row_type: z.enum(ROW_TYPES).nullable(),
    row_form: z.enum(ROW_FORMS).nullable(),
    merkle_root: z
      .string()
      .nullable()
      .meta({ description: 'Root of the Merkle tree (RFC 6962) over the row hashes, in the order of the rows' }),
    seed: z.string().nullable(),
    split_signature: z
      .string()
      .nullable()
      .meta({ description: 'SHA-256 over the sorted row hashes, each followed by 1 where it is held out, else 0' }),
    train_ratio: z.number(),
    min_train: Count,
    min_holdout: Count,
    stratified_by: z.enum(['label', 'none']).nullable(),
    groups: Count.nullable().meta({ description: 'Groups of rows that stay on one side' }),
    row_hash_dedupe_count: Count.nullable().meta({ description: 'Rows left out, since an equal one is there' }),
    sources: z.array(z.object({ name: z.string(), rows: Count }).meta({ id: 'DatasetSource' })),
    skipped: z
      .record(z.string(), Count)
      .meta({ description: 'Captures that became no row, by reason', example: { more_turns: 2 } }),
    size_bytes: Count.nullable(),
    error_code: z.string().nullable(),
    error: z.string().nullable(),
    created_at: Time,
    finished_at: Time.nullable(),
  })
  .meta({ id: 'DatasetVersion' })
/** A version of a dataset. */
export type VersionView = z.input<typeof VersionView>

const Named = {
  dataset_id: DatasetId,
  tenant_id: z.string(),
  namespace: z.string(),
  name: z.string(),
}

/** A version that was asked for, with its dataset. */
export const BuiltVersion = z.object({ ...Named, ...VersionView.shape, poll: z.string() }).meta({ id: 'DatasetBuild' })

/** A split, with the ids of both sides. */
export const SplitAnswer = BuiltVersion.extend({
  train_ids: z.array(z.string()).meta({ description: 'The first 1,000 ids of rows to learn from' }),
  holdout_ids: z.array(z.string()).meta({ description: 'The first 1,000 ids of held-out rows' }),
  ratio: z.number().meta({ description: 'Share of the rows that are to learn from now' }),
}).meta({ id: 'DatasetSplit' })

/** A page of datasets. */
export const ListDatasetsAnswer = z.object({
  total: Count,
  datasets: z.array(
    z
      .object({
        ...Named,
        version: Count.meta({ description: 'The newest version that is ready; 0 for none' }),
        state: z.enum(VERSION_STATES).meta({ description: 'State of the version that was begun last' }),
        row_count: Count,
        train_count: Count,
        holdout_count: Count,
        row_type: z.enum(ROW_TYPES).nullable(),
        created_at: Time,
      })
      .meta({ id: 'ListedDataset' }),
  ),
  next_cursor: NextCursor,
})

/** One dataset: a version with its report, and the list of its versions. */
export const DatasetAnswer = z
  .object({
    ...Named,
    ...VersionView.shape,
    quality: Quality.nullable(),
    versions: z.array(VersionView).meta({ description: 'Newest first, at most 100' }),
  })
  .meta({ id: 'Dataset' })

const Row = z
  .object({
    place: Count.meta({ description: 'Its leaf in the Merkle tree, from 0' }),
    row_id: z.string().nullable().meta({ description: 'Null for a row that was forgotten' }),
    row_hash: z.string().meta({ description: 'SHA-256 of a zero byte and the RFC 8785 form of `row`' }),
    side: z.enum(SIDES),
    group: Count.meta({ description: 'Place of the first row of its group' }),
    source: z.string().nullable(),
    conversation_id: z.string().nullable(),
    forgotten: z.boolean(),
    row: z.record(z.string(), JsonValue).nullable(),
  })
  .meta({ id: 'DatasetRow' })
/** A row of a version. */
export type RowView = z.input<typeof Row>

/** A page of rows. */
export const RowsAnswer = z.object({
  dataset_id: DatasetId,
  version: Count,
  row_count: Count,
  merkle_root: z.string(),
  rows: z.array(Row),
  next_cursor: NextCursor,
})

/** The difference between two versions. */
export const DiffAnswer = z.object({
  dataset_id: DatasetId,
  from: Count,
  to: Count,
  added: Count,
  removed: Count,
  kept: Count,
  to_holdout: Count,
  to_train: Count,
  rows: z.array(
    z
      .object({ change: z.enum(['added', 'removed', 'to_holdout', 'to_train']), ...Row.shape })
      .meta({ id: 'ChangedDatasetRow' }),
  ),
})

/** The dataset is gone. */
export const DeleteDatasetAnswer = z.object({ deleted: z.literal(true), dataset_id: DatasetId })
