import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Dataset } from './dataset.ts'
import type { QualityReport } from '../../../core/learn/datasets/quality/quality-report.ts'
import type { DatasetVersion } from './dataset-version.ts'

/** Columns of a dataset. */
export const DATASET = [
  'id',
  'tenant_id as tenantId',
  'namespace',
  'name',
  'version',
  'version_count as versionCount',
  'created_at as createdAt',
] as const

/** Columns of a version without its report. */
export const VERSION = [
  'dataset_id as datasetId',
  'version',
  'tenant_id as tenantId',
  'namespace',
  'state',
  'source',
  'split',
  'rows_sha256 as rowsSha256',
  'index_sha256 as indexSha256',
  'held_sha256 as heldSha256',
  'row_count as rowCount',
  'train_count as trainCount',
  'holdout_count as holdoutCount',
  'forgotten_count as forgottenCount',
  'row_type as rowType',
  'row_form as rowForm',
  'merkle_root as merkleRoot',
  'seed',
  'split_signature as splitSignature',
  'size_bytes as sizeBytes',
  'facts',
  'error_code as errorCode',
  'error_message as errorMessage',
  'created_at as createdAt',
  'started_at as startedAt',
  'finished_at as finishedAt',
] as const

/** A version without its report. */
export type VersionRow = Omit<DatasetVersion, 'quality' | `idempotency${string}` | symbol>

/** Returns a dataset. Throws `not_found`, also for another tenant's. */
export async function findDataset(op: Operation, datasetId: string): Promise<Dataset> {
  const [dataset] = await op.read((q) =>
    q.selectFrom('datasets').select(DATASET).where('id', '=', datasetId).where('tenant_id', '=', op.tenantId),
  )
  if (dataset === undefined) throw KERNEL_ERRORS.not_found('no such dataset')
  return dataset
}

/** Returns a version of a dataset. Throws `not_found`. */
export async function findVersion(op: Operation, datasetId: string, version: number): Promise<VersionRow> {
  const [row] = await op.read((q) =>
    q
      .selectFrom('dataset_versions')
      .select(VERSION)
      .where('dataset_id', '=', datasetId)
      .where('version', '=', version)
      .where('tenant_id', '=', op.tenantId),
  )
  if (row === undefined) throw KERNEL_ERRORS.not_found('the dataset has no such version')
  return row
}

/** A version that is ready, with the files that hold it. */
export type ReadyVersion = VersionRow & {
  readonly rowsSha256: `sha256:${string}`
  readonly indexSha256: `sha256:${string}`
  readonly heldSha256: `sha256:${string}`
}

/**
 * Returns a ready version, the newest when none is named. Throws `not_found`, and `dataset_not_ready` for one that is being
 * built or has failed.
 */
export async function findReadyVersion(
  op: Operation,
  datasetId: string,
  version: number | undefined,
): Promise<ReadyVersion> {
  const dataset = await findDataset(op, datasetId)
  const chosen = version ?? dataset.version
  if (chosen === 0) throw COMPILE_ERRORS.dataset_not_ready('the first version of the dataset is not ready yet')
  const row = await findVersion(op, datasetId, chosen)
  if (!isReady(row)) {
    throw COMPILE_ERRORS.dataset_not_ready(`version ${chosen} is ${row.state}`, {
      details: { state: row.state, error: row.errorCode ?? null },
    })
  }
  return row
}

/** True for a version whose files are there. */
export function isReady<Row extends VersionRow>(row: Row): row is Row & ReadyVersion {
  return row.state === 'ready' && isDigest(row.rowsSha256) && isDigest(row.indexSha256) && isDigest(row.heldSha256)
}

function isDigest(text: string | null | undefined): text is `sha256:${string}` {
  return typeof text === 'string' && text.startsWith('sha256:')
}

/** Returns the versions of a dataset, newest first, without their reports. */
export async function listVersions(op: Operation, datasetId: string, most: number): Promise<readonly VersionRow[]> {
  return await op.read((q) =>
    q
      .selectFrom('dataset_versions')
      .select(VERSION)
      .where('dataset_id', '=', datasetId)
      .where('tenant_id', '=', op.tenantId)
      .orderBy('version', 'desc')
      .limit(most),
  )
}

/** Returns the report of a version; null before it is ready. */
export async function findQuality(op: Operation, datasetId: string, version: number): Promise<QualityReport | null> {
  const [row] = await op.read((q) =>
    q
      .selectFrom('dataset_versions')
      .select('quality')
      .where('dataset_id', '=', datasetId)
      .where('version', '=', version)
      .where('tenant_id', '=', op.tenantId),
  )
  return row?.quality ?? null
}
