import { p, type InferEntity } from '@mikro-orm/core'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { GATE_DECISIONS, GATE_STATES } from '../../../core/learn/gate/states.ts'
import { MEASURED_MODES } from '../../../core/ledger/receipts/gate-receipt.ts'
import { BlobEntity } from '../../kernel/blobs/blob.ts'
import { bytes, document, instant, real } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A measured gate: registered, then scored, then decided; on evaluations decided at once. One on a holdout is an attempt, which stays counted. */
export const GateEntity = defineTable({
  name: 'Gate',
  tableName: 'gates',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text().nullable(),
    mode: p.enum(MEASURED_MODES),
    state: p.enum(GATE_STATES),
    decision: p.enum(GATE_DECISIONS).nullable(),
    /** The id of an artifact; of an evaluation where the gate is on evaluations. */
    candidateId: p.text(),
    baselineId: p.text(),
    /** The holdout whose rows are scored. */
    holdoutId: p.text().nullable(),
    rowCount: p.integer(),
    alpha: real(),
    level: real(),
    registration: document<JsonObject>(),
    registrationHash: p.text(),
    /** Results of the rows scored so far, a byte each; null once the gate is decided. */
    results: bytes().nullable(),
    /** Of a sequential gate: its figures. */
    outcome: document<JsonObject>().nullable(),
    receipt: document<JsonObject>().nullable(),
    errorCode: p.text().nullable(),
    /** Rows that the caller gave; null once the gate is decided. */
    blobSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('blob_sha256').nullable().deleteRule('no action'),
    createdAt: instant(),
    startedAt: instant().nullable(),
    finishedAt: instant().nullable(),
  },
  indexes: [
    { name: 'gates_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'gates_of_holdout', properties: ['tenantId', 'holdoutId'], where: 'holdout_id is not null' },
    { name: 'gates_unfinished', properties: ['id'], where: 'finished_at is null' },
    { name: 'gates_by_blob', properties: ['blobSha256'], where: 'blob_sha256 is not null' },
    { name: 'gates_swept', properties: ['finishedAt'], where: "mode <> 'sealed' and finished_at is not null" },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: { stays: 'with the holdouts of the workspace; its token may not start any' },
    purge: 'goes',
    export: {
      section: 'gates',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        mode: true,
        state: true,
        decision: true,
        candidateId: true,
        baselineId: true,
        holdoutId: true,
        rowCount: true,
        alpha: true,
        level: true,
        registration: true,
        registrationHash: true,
        results: 'results of rows of a holdout, which no export holds',
        outcome: true,
        receipt: true,
        errorCode: true,
        blobSha256: 'rows of a gate under way',
        createdAt: true,
        startedAt: true,
        finishedAt: true,
      },
    },
    blobs: ['blobSha256'],
    sweeps: [
      {
        name: 'gates',
        summary: 'Remove decided gates that are no attempt on a holdout',
        by: 'finishedAt',
        only: "mode <> 'sealed'",
        keptDays: 'gate_days',
      },
    ],
  },
})

export type Gate = InferEntity<typeof GateEntity>
