import { p, type InferEntity } from '@mikro-orm/core'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { HOLDOUT_STATES } from '../../../core/learn/holdout/states.ts'
import { BlobEntity } from '../../kernel/blobs/blob.ts'
import { bigCount, bytes, document, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/**
 * A corpus of rows that are kept out of all training, sealed at rest. A deleted one has neither its rows nor their key any
 * more; it stays as a line, so that the same rows under a new name are the same corpus.
 */
export const HoldoutCorpusEntity = defineTable({
  name: 'HoldoutCorpus',
  tableName: 'holdout_corpora',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    /** The caller's name for it, in lower case. */
    name: p.text(),
    namespace: p.text().nullable(),
    /** Shared by corpora that are the same under several names: the id of the first of them. */
    lineageId: p.text(),
    state: p.enum(HOLDOUT_STATES),
    rowCount: p.integer(),
    skipped: p.integer(),
    sizeBytes: bigCount(),
    /** Root of the Merkle tree over salted rows. */
    root: p.text(),
    normalizedHash: p.text(),
    /** Version of the keys of its rows; a corpus of an earlier one gets new keys when they are next needed. */
    keyVersion: p.integer().default(1),
    tags: document<readonly string[]>(),
    metadata: document<JsonObject>(),
    /** The key of the blob; null once it was deleted. */
    sealedKey: bytes().nullable(),
    /** The rows, encrypted under that key. */
    blobSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('blob_sha256').nullable().deleteRule('no action'),
    createdAt: instant(),
    revealedAt: instant().nullable(),
    deletedAt: instant().nullable(),
  },
  indexes: [
    { properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'holdout_corpora_of_lineage', properties: ['tenantId', 'lineageId'] },
    { name: 'holdout_corpora_sealed', properties: ['tenantId'], where: "state = 'sealed'" },
    { name: 'holdout_corpora_by_blob', properties: ['blobSha256'], where: 'blob_sha256 is not null' },
  ],
  uniques: [{ name: 'holdout_corpora_name', properties: ['tenantId', 'name'], where: "state <> 'deleted'" }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: { stays: 'sealed for the workspace; its token may not store any' },
    purge: 'goes',
    export: {
      section: 'holdouts',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        name: true,
        namespace: true,
        lineageId: true,
        state: true,
        rowCount: true,
        skipped: true,
        sizeBytes: true,
        root: true,
        normalizedHash: true,
        keyVersion: 'says how the service keys the rows',
        tags: true,
        metadata: true,
        sealedKey: 'a secret',
        blobSha256: 'rows of a holdout, which no export holds',
        createdAt: true,
        revealedAt: true,
        deletedAt: true,
      },
    },
    sealed: { sealedKey: { purpose: `'holdout'` } },
    blobs: ['blobSha256'],
    sweeps: { none: 'bounded by holdouts_per_tenant; its owner deletes it' },
  },
})

export type HoldoutCorpus = InferEntity<typeof HoldoutCorpusEntity>

/** The key of one row of a corpus: an HMAC, which tells nothing of the row. */
export const HoldoutRowEntity = defineTable({
  name: 'HoldoutRow',
  tableName: 'holdout_rows',
  properties: {
    corpusId: () => p.manyToOne(HoldoutCorpusEntity).mapToPk().fieldName('corpus_id').primary().deleteRule('cascade'),
    rowKey: bytes().primary(),
    tenantId: p.text(),
    /** While its corpus is sealed. */
    isSealed: p.boolean(),
  },
  indexes: [{ name: 'holdout_rows_of_tenant', properties: ['tenantId', 'rowKey'] }],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'keyed hashes: examples of every namespace are compared with all of them' },
    merge: { stays: 'with its corpus' },
    purge: 'goes',
    export: { leftOut: 'keyed hashes of the rows of `holdouts`' },
    sweeps: { none: 'removed with its corpus' },
  },
})
