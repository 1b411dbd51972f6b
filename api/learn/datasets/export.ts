import { Readable } from 'node:stream'
import { z } from 'zod'
import { invalidField } from '../../../core/kernel/errors.ts'
import { DatasetId } from '../../../core/kernel/wire/ids.ts'
import { csvFile, jsonlFile, parquetFile, type RowsFile } from '../../../core/learn/datasets/export/export-rows.ts'
import { folderCard, SIDE_FILES } from '../../../core/learn/datasets/export/folder-card.ts'
import { FORMAT_FILES, type ExportFormat } from '../../../core/learn/datasets/export/formats.ts'
import { zipStreams } from '../../../core/learn/datasets/export/zip-streams.ts'
import { ExportQuery } from '../../../core/learn/wire/datasets/requests.ts'
import type { Side } from '../../../core/learn/datasets/states.ts'
import { findDataset, findReadyVersion, type ReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { pendingForgets } from '../../../db/learn/datasets/forget/pending-forgets.ts'
import { recordDatasetExport } from '../../../db/learn/datasets/record-export.ts'
import { streamRows } from '../../../db/learn/datasets/read-rows.ts'
import { refuseSealedVersion } from '../../../db/learn/holdouts/refuse-sealed.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { rawAnswer } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

/** Bytes that wait for a slow reader. */
const WAITING_BYTES = 256 * 1024
/** Characters that are sent in one piece. */
const PIECE_CHARS = 64 * 1024

export const exportDatasetRoute = defineRoute({
  method: 'get',
  path: '/v1/datasets/{dataset_id}/export',
  operationId: 'exportDataset',
  group: 'datasets',
  summary: 'Export the rows of a dataset as a file',
  description:
    'Streamed. Columns are those of TRL for the type of the rows, so that its trainers and `datasets.load_dataset` take the files unmapped. Values that are neither texts nor messages are JSON texts. CSV cells are the data as it is: nothing is put before formulas. Forgotten rows are left out; a version with rows that were sealed since is refused with their count.',
  auth: 'key',
  scope: 'datasets:read',
  namespace: 'bounded',
  params: z.object({ dataset_id: DatasetId }),
  query: ExportQuery,
  answers: { 200: rawAnswer('The file, in the media type of its format', 'application/x-ndjson; charset=utf-8') },
  errors: ['not_found', 'dataset_not_ready', 'sealed_rows'],
}).handle(async ({ op, params: { dataset_id: id }, query }) => {
  const { format, side } = query
  if (format === 'folder' && side !== undefined) throw invalidField('side', 'must be absent: a folder has both sides')
  const dataset = await findDataset(op, id)
  const version = await findReadyVersion(op, id, query.version)
  await refuseSealedVersion(op, 'rows', version)
  await recordDatasetExport(op, { datasetId: id, version: version.version, format })
  const { hashes: forgotten } = await pendingForgets(op, id)
  const rows = { op, version, forgotten }
  const bytes =
    format === 'folder' ? zipStreams(folderOf(rows, dataset.name)) : fileBytes(rows, fileOf(format, version), side)
  const { mediaType, ending } = FORMAT_FILES[format]
  return {
    status: 200,
    raw: { kind: 'stream', stream: Readable.from(bytes, { objectMode: false, highWaterMark: WAITING_BYTES }) },
    headers: {
      'Content-Type': mediaType,
      'Content-Disposition': `attachment; filename="${id}-v${version.version}.${ending}"`,
      'Cache-Control': 'private, no-store, no-transform',
      'X-Accel-Buffering': 'no',
    },
  }
})

interface ExportedRows {
  readonly op: Operation
  readonly version: ReadyVersion
  readonly forgotten: ReadonlySet<string>
}

function kindOf({ rowType, rowForm }: ReadyVersion) {
  return { type: rowType ?? 'prompt_completion', form: rowForm ?? 'json' }
}

function fileOf(format: Exclude<ExportFormat, 'folder'>, version: ReadyVersion): RowsFile {
  const kind = kindOf(version)
  if (format === 'csv') return csvFile(kind)
  return format === 'parquet' ? parquetFile(kind) : jsonlFile(kind)
}

async function* fileBytes(
  { op, version, forgotten }: ExportedRows,
  file: RowsFile,
  side: Side | undefined,
): AsyncGenerator<string | Uint8Array> {
  let waiting = file.head
  for await (const { record, stored } of streamRows(op.db, version, forgotten)) {
    if (side !== undefined && record.isHeld !== (side === 'holdout')) continue
    const piece = file.add(stored.row)
    if (typeof piece !== 'string') {
      yield piece
      continue
    }
    waiting += piece
    if (waiting.length < PIECE_CHARS) continue
    yield waiting
    waiting = ''
  }
  if (waiting !== '') yield waiting
  const end = file.end()
  if (end.length > 0) yield end
}

/** The members of a folder: its card, and a file for each side that has rows. */
function folderOf(rows: ExportedRows, name: string) {
  const { version } = rows
  const { trainCount: train, holdoutCount: held } = version
  const card = folderCard({
    ...kindOf(version),
    name,
    datasetId: version.datasetId,
    version: version.version,
    train,
    held,
    forgotten: version.forgottenCount,
    merkleRoot: version.merkleRoot ?? '',
    splitSignature: version.splitSignature ?? '',
    seed: version.seed ?? '',
  })
  const sides = (['train', 'holdout'] as const).filter((side) => (side === 'train' ? train : held) > 0)
  return [
    { name: 'README.md', bytes: () => [Buffer.from(card)] },
    ...sides.map((side) => ({ name: SIDE_FILES[side], bytes: () => fileBytes(rows, fileOf('jsonl', version), side) })),
  ]
}
