import { p, type InferEntity } from '@mikro-orm/core'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { RentalEntity } from './rental.ts'

/** Kinds of meter rows: a machine took the fit, or worked on it until its next heartbeat. */
export const METER_KINDS = ['training_reservation', 'training_run'] as const

/** Time of a machine on a fit, by the service's clock. */
export const MeterRowEntity = defineTable({
  name: 'MeterRow',
  tableName: 'training_meter',
  properties: {
    jobId: () => p.manyToOne(RentalEntity).mapToPk().fieldName('job_id').primary().deleteRule('cascade'),
    /** Counted from 1 within its job. */
    number: p.integer().primary(),
    tenantId: p.text(),
    leaseId: p.text(),
    kind: p.enum(METER_KINDS),
    gpuMs: bigCount(),
    rateUsdMicros: bigCount(),
    at: instant(),
  },
  indexes: [{ name: 'training_meter_of_tenant', properties: ['tenantId', 'jobId', 'number'] }],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'read through its job only, whose policy holds' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'training_meter',
      key: ['jobId', 'number'],
      columns: {
        jobId: true,
        number: true,
        tenantId: 'the document is of one tenant',
        leaseId: true,
        kind: true,
        gpuMs: true,
        rateUsdMicros: true,
        at: true,
      },
    },
    sweeps: { none: 'the cost of a job stays with it' },
  },
})

/** A meter row. */
export type MeterRow = InferEntity<typeof MeterRowEntity>
