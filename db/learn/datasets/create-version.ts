import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { BuildDataset } from '../../../core/learn/workflows.ts'
import type { VersionSource, VersionSplit } from '../../../core/learn/datasets/version-request.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { publishUpload, type StagedBlob } from '../../kernel/blobs/uploads.ts'
import { keyReused, keysCountAfter, type RequestName } from '../../kernel/idempotency/claims.ts'
import { requireNamespace } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import { inAllNamespaces, lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import { findDataset } from './find-dataset.ts'

/** A file of a version: of the workspace, or uploaded and staged. */
export interface NewFile {
  readonly name: string
  readonly staged: StagedBlob | null
}

/** A version to build, as validated. */
export interface NewVersion {
  /** The dataset that it continues, or what a new one is called. */
  readonly of: { readonly datasetId: string } | { readonly namespace: string; readonly name: string }
  readonly source: Omit<VersionSource, 'base'>
  readonly split: VersionSplit
  readonly files: readonly NewFile[]
  readonly limits: Limits
  readonly idempotency: (RequestName & { readonly bodyHash: string }) | undefined
}

/** A version that was accepted. */
export interface VersionRef {
  readonly datasetId: string
  readonly version: number
  /** True when an earlier call with the same key made it. */
  readonly isReplay: boolean
}

/**
 * Accepts a version: the dataset where it is new, the version, its files, the request for its workflow and the audit line
 * in one transaction. Throws `not_found`, `dataset_building` while the version before is not done, `dataset_not_ready`
 * for a split of one without rows, `limit_reached`, `too_many_running_jobs`, `idempotency_key_reused`,
 * `insufficient_scope` for a namespace outside of the caller's, and `invalid_credential` when the tenant is deleted.
 */
export async function createVersion(op: Operation, input: NewVersion): Promise<VersionRef> {
  if ('namespace' in input.of) requireNamespace(op, input.of.namespace)
  else await findDataset(op, input.of.datasetId)
  return await op.write(async (tx) => {
    await requireLiveTenant(tx, op.tenantId)
    await lockInTransaction(tx, `datasets ${op.tenantId}`)
    const known = await findRequest(tx, op, input)
    if (known !== null) return known
    await inAllNamespaces(tx, 'the limits are of the whole tenant', async () => {
      await requireRoom(tx, op, input)
    })
    for (const { staged } of input.files) if (staged !== null) await publishUpload(tx, staged)
    const { datasetId, namespace, version, base } = await nextVersion(tx, op, input)
    const { route, key, credential, bodyHash } = input.idempotency ?? {}
    await tx.q
      .insertInto('dataset_versions')
      .values({
        dataset_id: datasetId,
        version,
        tenant_id: op.tenantId,
        namespace,
        state: 'queued',
        source: { ...input.source, base },
        split: input.split,
        row_count: 0,
        train_count: 0,
        holdout_count: 0,
        forgotten_count: 0,
        created_at: op.now(),
        idempotency_route: route ?? null,
        idempotency_key: key ?? null,
        idempotency_credential: credential ?? null,
        idempotency_body_hash: bodyHash ?? null,
      })
      .execute()
    await insertFiles(tx, { datasetId, version, namespace, tenantId: op.tenantId }, input.files)
    await requestStart(tx, BuildDataset, { datasetId, version, tenantId: op.tenantId })
    await recordAudit(tx, op, {
      action: 'dataset.version_requested',
      target: datasetId,
      payload: { dataset_id: datasetId, version, namespace, kind: input.source.kind, files: input.files.length },
    })
    return { datasetId, version, isReplay: false }
  })
}

/**
 * Returns the version that an earlier call with the same key made, as long as that key counts. Throws
 * `idempotency_key_reused` for another body.
 */
async function findRequest(
  tx: Transaction,
  op: Operation,
  { idempotency: asked, limits }: Pick<NewVersion, 'idempotency' | 'limits'>,
): Promise<VersionRef | null> {
  if (asked === undefined) return null
  const [row] = await tx.q
    .selectFrom('dataset_versions')
    .select(['dataset_id as datasetId', 'version', 'idempotency_body_hash as bodyHash'])
    .where('tenant_id', '=', op.tenantId)
    .where('idempotency_route', '=', asked.route)
    .where('idempotency_key', '=', asked.key)
    .where('idempotency_credential', '=', asked.credential)
    .where('created_at', '>', keysCountAfter(limits, op.now()))
    .orderBy('created_at', 'desc')
    .limit(1)
    .execute()
  if (row === undefined) return null
  if (row.bodyHash !== asked.bodyHash) throw keyReused()
  return { datasetId: row.datasetId, version: row.version, isReplay: true }
}

async function requireRoom(tx: Transaction, { tenantId }: Operation, { of, limits }: NewVersion): Promise<void> {
  const [running, kept] = await tx.read((q) => [
    q
      .selectFrom('dataset_versions')
      .select(q.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('finished_at', 'is', null),
    q.selectFrom('datasets').select(q.fn.countAll<number>().as('count')).where('tenant_id', '=', tenantId),
  ])
  const max = limits.unfinished_datasets_per_tenant
  const under = running[0]?.count ?? 0
  if (under >= max) {
    throw COMPILE_ERRORS.too_many_running_jobs(`${max} versions of datasets are being built already`, {
      details: { running: under, max },
      retryAfterS: 5,
    })
  }
  if ('namespace' in of && (kept[0]?.count ?? 0) >= limits.datasets_per_tenant) {
    throw ACCOUNTS_ERRORS.limit_reached(`you have ${limits.datasets_per_tenant} datasets already; delete some first`, {
      details: { max: limits.datasets_per_tenant },
    })
  }
}

interface NextVersion {
  readonly datasetId: string
  readonly namespace: string
  readonly version: number
  readonly base: number | null
}

async function nextVersion(tx: Transaction, op: Operation, { of, source, limits }: NewVersion): Promise<NextVersion> {
  if ('namespace' in of) {
    const datasetId = newId('ds')
    await tx.q
      .insertInto('datasets')
      .values({
        id: datasetId,
        tenant_id: op.tenantId,
        namespace: of.namespace,
        name: of.name,
        version: 0,
        version_count: 1,
        created_at: op.now(),
      })
      .execute()
    return { datasetId, namespace: of.namespace, version: 1, base: null }
  }
  const { datasetId } = of
  const open = await tx.q
    .selectFrom('dataset_versions')
    .select('version')
    .where('dataset_id', '=', datasetId)
    .where('tenant_id', '=', op.tenantId)
    .where('finished_at', 'is', null)
    .execute()
  if (open.length > 0) {
    throw LEARN_ERRORS.dataset_building(`version ${open[0]?.version} of the dataset is being built; wait for its end`)
  }
  const [row] = await tx.q
    .updateTable('datasets')
    .set((of_) => ({ version_count: of_('version_count', '+', 1) }))
    .where('id', '=', datasetId)
    .where('tenant_id', '=', op.tenantId)
    .returning(['namespace', 'version', 'version_count as versionCount'])
    .execute()
  // It was deleted since it was looked for.
  if (row === undefined) throw KERNEL_ERRORS.not_found('no such dataset')
  if (source.kind === 'split' && row.version === 0) {
    throw COMPILE_ERRORS.dataset_not_ready('the dataset has no rows yet: its first version is not ready')
  }
  if (row.versionCount > limits.versions_per_dataset) {
    throw ACCOUNTS_ERRORS.limit_reached(`the dataset has ${limits.versions_per_dataset} versions already`, {
      details: { max: limits.versions_per_dataset },
    })
  }
  return {
    datasetId,
    namespace: row.namespace,
    version: row.versionCount,
    base: row.version === 0 ? null : row.version,
  }
}

async function insertFiles(
  tx: Transaction,
  of: { datasetId: string; version: number; namespace: string; tenantId: string },
  files: readonly NewFile[],
): Promise<void> {
  if (files.length === 0) return
  await tx.q
    .insertInto('dataset_files')
    .values(
      files.map(({ name, staged }, place) => ({
        dataset_id: of.datasetId,
        version: of.version,
        place,
        tenant_id: of.tenantId,
        namespace: of.namespace,
        name,
        is_workspace: staged === null,
        size_bytes: staged?.sizeBytes ?? null,
        blob_sha256: staged?.sha256 ?? null,
      })),
    )
    .execute()
}
