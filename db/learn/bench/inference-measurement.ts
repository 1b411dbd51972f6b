import { p } from '@mikro-orm/core'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { INFERENCE_STATES, type InferenceRequest } from '../../../core/learn/evals/inference/inference.ts'
import { document, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** One measurement of inference: what was asked for, and its signed row. */
export const InferenceMeasurementEntity = defineTable({
  name: 'InferenceMeasurement',
  tableName: 'inference_measurements',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text(),
    state: p.enum(INFERENCE_STATES),
    request: document<InferenceRequest>(),
    /** The signed row; null before it is measured. */
    result: document<JsonObject>().nullable(),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    createdAt: instant(),
    startedAt: instant().nullable(),
    finishedAt: instant().nullable(),
  },
  indexes: [
    { name: 'inference_measurements_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'inference_measurements_unfinished', properties: ['id'], where: 'finished_at is null' },
    { name: 'inference_measurements_swept', properties: ['finishedAt'], where: 'finished_at is not null' },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'inference_measurements',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        state: true,
        request: true,
        result: true,
        errorCode: true,
        errorMessage: true,
        createdAt: true,
        startedAt: true,
        finishedAt: true,
      },
    },
    sweeps: [
      {
        name: 'inference-measurements',
        summary: 'Remove old measurements of inference',
        by: 'finishedAt',
        keptDays: 'inference_days',
      },
    ],
  },
})
