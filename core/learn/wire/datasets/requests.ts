import { z } from 'zod'
import { SIDES } from '../../datasets/states.ts'
import { EXPORT_FORMATS } from '../../datasets/export/formats.ts'
import { Cursor } from '../../../kernel/wire/page.ts'
import {
  CaptureChoices,
  DatasetName,
  DatasetNamespace,
  MOST_FILES,
  RemovedRows,
  RowSources,
  SplitChoices,
  TrainRatio,
} from './fields.ts'

const Binary = z.string().meta({
  format: 'binary',
  description: `A file: JSONL, JSON, CSV or Parquet; a zip of them with a card is a folder as \`datasets\` has it; up to ${MOST_FILES} parts`,
})

/** The body of `POST /v1/datasets`. */
export const CreateDatasetBody = z
  .strictObject({
    namespace: DatasetNamespace,
    name: DatasetName.optional(),
    train_ratio: TrainRatio.default(0.8),
    ...SplitChoices.shape,
    ...RowSources.shape,
    ...CaptureChoices.shape,
    from_captures: z
      .boolean()
      .optional()
      .meta({ description: 'True to take captures beside `rows` or `paths`; true when neither is given' }),
  })
  .meta({ id: 'CreateDataset' })

/** The part `spec` of an upload that makes a dataset. */
export const CreateDatasetSpec = CreateDatasetBody.omit({ rows: true, paths: true })

/** The parts of an upload that makes a dataset. */
export const CreateDatasetForm = z.object({
  spec: z.string().meta({ description: 'The request as JSON, without `rows` and `paths`' }),
  file: Binary,
})

/** The body of `POST /v1/datasets/{dataset_id}/import`. */
export const ImportBody = z
  .strictObject({
    train_ratio: TrainRatio.optional().meta({ description: 'That of the version before when absent' }),
    ...SplitChoices.shape,
    ...RowSources.shape,
    ...CaptureChoices.shape,
    from_captures: z.boolean().default(false).meta({ description: 'True to take captures of the namespace' }),
    remove: RemovedRows,
  })
  .meta({ id: 'ImportRows', example: { rows: [{ prompt: 'Where is my parcel?', completion: 'shipping' }] } })

/** The part `spec` of an upload into a dataset. */
export const ImportSpec = ImportBody.omit({ rows: true, paths: true })

/** The parts of an upload into a dataset. */
export const ImportForm = z.object({
  spec: z.string().optional().meta({ description: 'The request as JSON, without `rows` and `paths`' }),
  file: Binary,
})

/** The body of a split. */
export const SplitBody = z
  .strictObject({ train_ratio: TrainRatio.default(0.8), ...SplitChoices.shape })
  .meta({ id: 'SplitDataset', example: { train_ratio: 0.8 } })

const Version = z.coerce.number().int().min(1).max(1_000_000)

/** The query of one dataset. */
export const DatasetQuery = z.object({ version: Version.optional().meta({ description: 'The newest when absent' }) })

/** The query of rows. */
export const RowsQuery = DatasetQuery.extend({
  side: z.enum(SIDES).optional().meta({ description: 'Rows of one side alone' }),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: Cursor.optional(),
})

/** The query of an export. */
export const ExportQuery = DatasetQuery.extend({
  format: z.enum(EXPORT_FORMATS).default('jsonl').meta({
    description:
      '`jsonl` and `csv`: one file; `parquet`: one file; `folder`: a zip with a card and a file for each side, which `datasets.load_dataset` opens once unpacked',
  }),
  side: z.enum(SIDES).optional().meta({ description: 'Rows of one side alone; not for a folder, which has both' }),
})

/** The query of a comparison. */
export const DiffQuery = z.object({
  from: Version.optional().meta({ description: 'The version before `to` when absent' }),
  to: Version.optional().meta({ description: 'The newest when absent' }),
  version: Version.optional().meta({ description: 'In place of `to`' }),
  limit: z.coerce.number().int().min(1).max(500).default(50).meta({ description: 'Changed rows to show at most' }),
})
