import { p } from '@mikro-orm/core'
import { RECORDED_SLOTS } from '../../../core/learn/plans/cloud/slots.ts'
import { instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'

/** The last probe of something outside this process that the service may be connected to. */
export const SlotProbeEntity = defineTable({
  name: 'SlotProbe',
  tableName: 'slot_probes',
  properties: {
    slot: p.enum(RECORDED_SLOTS).primary(),
    isReady: p.boolean(),
    /** A machine word; no address and no secret. */
    outcome: p.text(),
    latencyMs: p.integer(),
    probedAt: instant(),
    /** When a probe last succeeded. */
    readyAt: instant().nullable(),
  },
  facts: {
    tenant: { shared: 'connections of the operator, in machine words', grants: ['select'] },
    sweeps: { none: 'one row for each slot' },
  },
})
