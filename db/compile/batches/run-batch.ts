import { p } from '@mikro-orm/core'
import type { BatchReceipt } from '../../../core/ledger/receipts/batch-receipt.ts'
import { BATCH_FORMATS } from '../../../core/ledger/receipts/batch-receipt.ts'
import { BATCH_STATES } from '../../../core/compile/wire/batches.ts'
import { RECEIPT_KINDS } from '../../../core/compile/wire/artifacts/receipt-kinds.ts'
import { bigCount, document, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'
import type { TreeMark } from './tree-marks.ts'

/** One batch of runs: what is settled of it, so that it can be continued. Its rows and answers are not stored. */
export const RunBatchEntity = defineTable({
  name: 'RunBatch',
  tableName: 'run_batches',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    conceptId: p.text(),
    /** The version that answers all rows, also when the batch is continued after a newer one. */
    versionId: p.text(),
    /** The caller's Idempotency-Key and its owner; null without one. */
    key: p.text().nullable(),
    credential: p.text().nullable(),
    /** Digest of the input as it was sent. */
    inputHash: p.text(),
    /** Digest of how it is read and answered. */
    requestHash: p.text(),
    format: p.enum(BATCH_FORMATS),
    receipts: p.enum(RECEIPT_KINDS),
    state: p.enum(BATCH_STATES),
    stopCode: p.text().nullable(),
    /** Raised when the batch is continued; only the stream that holds the newest one settles rows. */
    epoch: p.integer(),
    rows: p.integer(),
    settledRows: p.integer(),
    units: bigCount(),
    answered: p.integer(),
    abstained: p.integer(),
    unlike: p.integer(),
    errors: p.integer(),
    /** States of the Merkle tree at some settled rows, from which a continued batch grows it again. */
    marks: document<readonly TreeMark[]>(),
    receipt: document<BatchReceipt>().nullable(),
    createdAt: instant(),
    /** Time of its last settled row, end or continuation; the quota's reset for one that the quota stopped. */
    touchedAt: instant(),
  },
  indexes: [{ name: 'run_batches_newest', properties: ['tenantId', 'createdAt', 'id'] }, { properties: ['touchedAt'] }],
  uniques: [
    {
      name: 'run_batches_one_key',
      properties: ['tenantId', 'credential', 'key'],
      where: 'key is not null',
    },
  ],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_version_within', of: 'versionId' },
    merge: { moves: 'update run_batches set tenant_id = $2, key = null, credential = null where tenant_id = $1' },
    purge: 'goes',
    export: {
      section: 'run_batches',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        conceptId: true,
        versionId: true,
        key: 'names a call, not its content',
        credential: 'names a call, not its content',
        inputHash: true,
        requestHash: 'compares repeated calls',
        format: true,
        receipts: true,
        state: true,
        stopCode: true,
        epoch: 'orders the streams of a batch',
        rows: true,
        settledRows: true,
        units: true,
        answered: true,
        abstained: true,
        unlike: true,
        errors: true,
        marks: 'follow from the rows',
        receipt: true,
        createdAt: true,
        touchedAt: true,
      },
    },
    sweeps: [
      {
        name: 'runBatches',
        summary: 'Remove old batches of runs',
        by: 'touchedAt',
        keptDays: 'run_batch_days',
      },
    ],
  },
})
