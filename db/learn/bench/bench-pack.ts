import { p } from '@mikro-orm/core'
import { BENCHMARKS } from '../../../core/learn/evals/bench/benchmarks.ts'
import { BlobEntity } from '../../kernel/blobs/blob.ts'
import { bigCount, bytes, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** The questions of a benchmark that a tenant uploaded. */
export const BenchPackEntity = defineTable({
  name: 'BenchPack',
  tableName: 'bench_packs',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text(),
    benchmark: p.enum(BENCHMARKS),
    name: p.text(),
    /** SHA-256 of the file as it was uploaded. */
    fileHash: bytes(),
    questionCount: p.integer(),
    sizeBytes: bigCount(),
    /** Its questions as JSON lines. */
    blobSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('blob_sha256').deleteRule('no action'),
    createdAt: instant(),
  },
  indexes: [
    { name: 'bench_packs_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'bench_packs_by_blob', properties: ['blobSha256'] },
  ],
  uniques: [{ name: 'bench_packs_once', properties: ['tenantId', 'namespace', 'benchmark', 'fileHash'] }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: { stays: 'a workspace uploads no packs' },
    purge: 'goes',
    export: {
      section: 'bench_packs',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        benchmark: true,
        name: true,
        fileHash: true,
        questionCount: true,
        sizeBytes: true,
        blobSha256: 'the questions of a published benchmark',
        createdAt: true,
      },
    },
    blobs: ['blobSha256'],
    sweeps: { none: 'kept until it is deleted; their number is bounded' },
  },
})
