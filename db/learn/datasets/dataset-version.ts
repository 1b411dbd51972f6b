import { p, type InferEntity } from '@mikro-orm/core'
import { ROW_FORMS, ROW_TYPES } from '../../../core/learn/datasets/rows/row-content.ts'
import type { QualityReport } from '../../../core/learn/datasets/quality/quality-report.ts'
import { VERSION_STATES } from '../../../core/learn/datasets/states.ts'
import type { VersionSource, VersionSplit } from '../../../core/learn/datasets/version-request.ts'
import { BlobEntity } from '../../kernel/blobs/blob.ts'
import { bigCount, document, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'
import { DatasetEntity } from './dataset.ts'

/** Facts of a version that was built, beside its columns. */
export interface VersionFacts {
  readonly duplicates: number
  readonly groups: number
  readonly by_label: boolean
  readonly sources: readonly { readonly name: string; readonly rows: number }[]
  /** Captures that became no row, by reason. */
  readonly skipped: Readonly<Record<string, number>>
}

/** A version of a dataset. Once it is ready it changes only by forgetting, which leaves tombstones. */
export const DatasetVersionEntity = defineTable({
  name: 'DatasetVersion',
  tableName: 'dataset_versions',
  properties: {
    datasetId: () => p.manyToOne(DatasetEntity).mapToPk().fieldName('dataset_id').primary().deleteRule('cascade'),
    version: p.integer().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text(),
    state: p.enum(VERSION_STATES),
    source: document<VersionSource>(),
    split: document<VersionSplit>(),
    /** JSON lines of the rows, their index and the inputs held out so far; null before they exist. */
    rowsSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('rows_sha256').nullable().deleteRule('no action'),
    indexSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('index_sha256').nullable().deleteRule('no action'),
    heldSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('held_sha256').nullable().deleteRule('no action'),
    rowCount: p.integer(),
    trainCount: p.integer(),
    holdoutCount: p.integer(),
    /** Rows of them whose capture was forgotten. */
    forgottenCount: p.integer(),
    rowType: p.enum(ROW_TYPES).nullable(),
    rowForm: p.enum(ROW_FORMS).nullable(),
    merkleRoot: p.text().nullable(),
    seed: p.text().nullable(),
    splitSignature: p.text().nullable(),
    sizeBytes: bigCount().nullable(),
    facts: document<VersionFacts>().nullable(),
    quality: document<QualityReport>().nullable(),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    createdAt: instant(),
    startedAt: instant().nullable(),
    finishedAt: instant().nullable(),
    idempotencyRoute: p.text().nullable(),
    idempotencyKey: p.text().nullable(),
    idempotencyCredential: p.text().nullable(),
    idempotencyBodyHash: p.text().nullable(),
  },
  indexes: [
    { name: 'dataset_versions_of_tenant', properties: ['tenantId', 'createdAt'] },
    { name: 'dataset_versions_by_key', properties: ['tenantId', 'datasetId', 'version'] },
    { name: 'dataset_versions_unfinished', properties: ['datasetId', 'version'], where: 'finished_at is null' },
    {
      name: 'dataset_versions_idempotency',
      properties: ['tenantId', 'idempotencyRoute', 'idempotencyKey'],
      where: 'idempotency_key is not null',
    },
    { name: 'dataset_versions_by_rows', properties: ['rowsSha256'], where: 'rows_sha256 is not null' },
    { name: 'dataset_versions_by_index', properties: ['indexSha256'], where: 'index_sha256 is not null' },
    { name: 'dataset_versions_by_held', properties: ['heldSha256'], where: 'held_sha256 is not null' },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'dataset_versions',
      key: ['datasetId', 'version'],
      columns: {
        datasetId: true,
        version: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        state: true,
        source: true,
        split: true,
        rowsSha256: true,
        indexSha256: 'a form of the rows',
        heldSha256: 'hashes of inputs',
        rowCount: true,
        trainCount: true,
        holdoutCount: true,
        forgottenCount: true,
        rowType: true,
        rowForm: true,
        merkleRoot: true,
        seed: true,
        splitSignature: true,
        sizeBytes: true,
        facts: true,
        quality: true,
        errorCode: true,
        errorMessage: true,
        createdAt: true,
        startedAt: true,
        finishedAt: true,
        idempotencyRoute: 'part of a request',
        idempotencyKey: 'part of a request',
        idempotencyCredential: 'part of a request',
        idempotencyBodyHash: 'part of a request',
      },
    },
    blobs: ['rowsSha256', 'indexSha256', 'heldSha256'],
    sweeps: { none: 'kept with its dataset; versions_per_dataset bounds them' },
  },
})

export type DatasetVersion = InferEntity<typeof DatasetVersionEntity>
