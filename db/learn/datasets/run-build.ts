import { sql, type Updateable } from 'kysely'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import type { ErrorCode } from '../../../core/learn/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { BuildSummary } from '../../../core/learn/datasets/build/build-task.ts'
import { BuildDataset } from '../../../core/learn/workflows.ts'
import type { Tables } from '../../schema.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { withdrawStart } from '../../kernel/outbox/outbox.ts'
import { list, notify, unnest } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { VERSION, type VersionRow } from './find-dataset.ts'

/** Sources of rows that a version names. */
const MOST_SOURCES = 50

/** A version by its name. */
export interface VersionName {
  readonly datasetId: string
  readonly version: number
}

/** Records that work on a version has begun. Returns null when it is over: then no work is left. */
export async function beginBuild(op: Operation, { datasetId, version }: VersionName): Promise<VersionRow | null> {
  return await op.write(async (tx) => {
    const [begun] = await tx.q
      .updateTable('dataset_versions')
      .set((of) => ({ state: 'running', started_at: of.fn.coalesce('started_at', of.val(op.now())) }))
      .where('dataset_id', '=', datasetId)
      .where('version', '=', version)
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null)
      .returning(VERSION)
      .execute()
    return begun ?? null
  })
}

/** A file of a version that waits to be read. */
export interface WaitingFile {
  readonly name: string
  readonly isWorkspace: boolean
  readonly blobSha256: string | null
}

/** Returns the files of a version, in the order of the request. */
export async function listFiles(op: Operation, { datasetId, version }: VersionName): Promise<readonly WaitingFile[]> {
  return await op.read((q) =>
    q
      .selectFrom('dataset_files')
      .select(['name', 'is_workspace as isWorkspace', 'blob_sha256 as blobSha256'])
      .where('dataset_id', '=', datasetId)
      .where('version', '=', version)
      .where('tenant_id', '=', op.tenantId)
      .orderBy('place'),
  )
}

/** A version that was built, and where its files are stored. */
export interface BuiltVersion {
  readonly summary: BuildSummary
  readonly rows: { readonly sha256: Sha256; readonly sizeBytes: number }
  readonly index: { readonly sha256: Sha256; readonly sizeBytes: number }
  readonly held: { readonly sha256: Sha256; readonly sizeBytes: number }
  readonly skipped: Readonly<Record<string, number>>
  /** The captures of the version with the hashes of their rows, batch by batch. */
  readonly captures: () => AsyncIterable<readonly { readonly capture: string; readonly row: string }[]>
}

/**
 * Makes a built version visible. Captures stay locked until the commit, so the caller that forgets one finds the dataset.
 * Throws `capture_forgotten` when one was forgotten after it was read: then the version has to be built again. A no-op for a
 * version that is over.
 */
export async function publishBuild(op: Operation, name: VersionName, built: BuiltVersion): Promise<void> {
  await op.write(async (tx) => {
    const { summary, rows, index, held } = built
    const ended = await endVersion(tx, op, name, {
      state: 'ready' as const,
      rows_sha256: rows.sha256,
      index_sha256: index.sha256,
      held_sha256: held.sha256,
      row_count: summary.rows,
      train_count: summary.train,
      holdout_count: summary.held,
      row_type: summary.type,
      row_form: summary.form,
      merkle_root: summary.root,
      seed: summary.seed,
      split_signature: summary.splitSignature,
      size_bytes: rows.sizeBytes,
      facts: {
        duplicates: summary.duplicates,
        groups: summary.groups,
        by_label: summary.byLabel,
        sources: summary.sources.slice(0, MOST_SOURCES),
        skipped: built.skipped,
      },
      quality: summary.quality,
    })
    if (ended === null) return
    for await (const batch of built.captures()) await recordCaptures(tx, op, name, batch)
    await eraseAgain(tx, op, name.datasetId)
    await tx.q
      .updateTable('datasets')
      .set({ version: sql<number>`greatest(version, ${name.version})` })
      .where('id', '=', name.datasetId)
      .where('tenant_id', '=', op.tenantId)
      .execute()
    await recordAudit(tx, op, {
      action: 'dataset.version_built',
      target: name.datasetId,
      payload: { dataset_id: name.datasetId, version: name.version, rows: summary.rows, root: summary.root },
    })
  })
}

/** Ends a version as failed. A no-op for one that is over. */
export async function failBuild(
  op: Operation,
  name: VersionName,
  failure: { readonly code: ErrorCode; readonly message: string },
): Promise<void> {
  await op.write(async (tx) => {
    const { code, message } = failure
    const ended = await endVersion(tx, op, name, {
      state: 'failed' as const,
      error_code: code,
      error_message: message.slice(0, 2000),
    })
    if (ended === null) return
    await recordAudit(tx, op, {
      action: 'dataset.version_failed',
      target: name.datasetId,
      payload: { dataset_id: name.datasetId, version: name.version, error: code },
    })
  })
}

type Ending = Partial<Updateable<Tables['dataset_versions']>>

/** Ends a version once, and lets its uploaded files go; null for one that is over. */
async function endVersion(
  tx: Transaction,
  op: Operation,
  { datasetId, version }: VersionName,
  change: Ending,
): Promise<{ readonly namespace: string } | null> {
  const [ended] = await tx.q
    .updateTable('dataset_versions')
    .set({ ...change, finished_at: op.now() })
    .where('dataset_id', '=', datasetId)
    .where('version', '=', version)
    .where('tenant_id', '=', op.tenantId)
    .where('finished_at', 'is', null)
    .returning('namespace')
    .execute()
  if (ended === undefined) return null
  await tx.q
    .updateTable('dataset_files')
    .set({ blob_sha256: null })
    .where('dataset_id', '=', datasetId)
    .where('version', '=', version)
    .where('tenant_id', '=', op.tenantId)
    .execute()
  const workflowId = BuildDataset.plan({ datasetId, version, tenantId: op.tenantId }).workflowId
  withdrawStart(tx, workflowId)
  await tx.q.selectNoFrom(notify('svc_jobs', workflowId).as('notified')).execute()
  return ended
}

/** Records captures of a version that live, and locks them. Throws `capture_forgotten` when one does not. */
async function recordCaptures(
  tx: Transaction,
  { tenantId }: Operation,
  { datasetId }: VersionName,
  batch: readonly { readonly capture: string; readonly row: string }[],
): Promise<void> {
  const given = unnest('u', {
    capture_id: list(
      'text',
      batch.map(({ capture }) => capture),
    ),
    row_hash: list(
      'text',
      batch.map(({ row }) => row),
    ),
  })
  const rows = await tx.q
    .with('live', (q) =>
      q
        .selectFrom('captures')
        .select(['id', 'namespace'])
        .where(sql<boolean>`id = any(${batch.map(({ capture }) => capture)}::text[])`)
        .where('tenant_id', '=', tenantId)
        .where('forgotten_at', 'is', null)
        .forShare(),
    )
    .insertInto('dataset_captures')
    .columns(['dataset_id', 'capture_id', 'tenant_id', 'namespace', 'row_hash'])
    .expression((q) =>
      q
        .selectFrom(given)
        .innerJoin('live', 'live.id', 'u.capture_id')
        .select((of) => [
          of.val(datasetId).as('dataset_id'),
          'u.capture_id',
          of.val(tenantId).as('tenant_id'),
          'live.namespace',
          sql<Buffer>`decode(u.row_hash, 'hex')`.as('row_hash'),
        ]),
    )
    .onConflict((on) => on.columns(['dataset_id', 'capture_id']).doUpdateSet({ tenant_id: tenantId }))
    .returning('capture_id')
    .execute()
  if (rows.length < new Set(batch.map(({ capture }) => capture)).size) {
    throw GATEWAY_ERRORS.capture_forgotten('a capture was forgotten while the dataset was built')
  }
}

/** Has the chore look again for what was forgotten before: this version was made from one that may still have held it. */
async function eraseAgain(tx: Transaction, { tenantId }: Operation, datasetId: string): Promise<void> {
  await tx.q
    .updateTable('dataset_captures')
    .set({ erased_at: null })
    .where('dataset_id', '=', datasetId)
    .where('tenant_id', '=', tenantId)
    .where('forgotten_at', 'is not', null)
    .execute()
}
