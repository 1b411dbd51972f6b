import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import type { ProcessorSnapshot } from '../../../core/billing/events/events.ts'
import { bigCount, document, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'
import type { EventOutcome } from '../../../core/billing/events/event-outcomes.ts'

/** An event that the payment processor delivered. Its row makes a second delivery harmless. */
export const PaymentEventEntity = defineTable({
  name: 'PaymentEvent',
  tableName: 'payment_events',
  properties: {
    /** The processor's id. */
    id: p.text().primary(),
    type: p.text(),
    /** The version of its object, see `versionOf`. */
    created: bigCount(),
    isLivemode: p.boolean(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').nullable(),
    /** Its outcome: `applied`, `parked`, `ignored`, or the reason for its refusal. */
    outcome: p.text().$type<EventOutcome>(),
    /** The customer that a parked event waits for, or whose subscription has an unknown price. */
    customerId: p.text().nullable(),
    /** Content of a parked or refused event; null once it was applied. */
    snapshot: document<ProcessorSnapshot>().nullable(),
    receivedAt: instant(),
    /** When it was last refused; null for one that was not refused, or was applied since. */
    refusedAt: instant().nullable(),
  },
  indexes: [
    { properties: ['receivedAt'] },
    { properties: ['tenantId'] },
    { name: 'payment_events_refused', properties: ['refusedAt'], where: 'refused_at is not null' },
    { name: 'payment_events_parked', properties: ['customerId'], where: 'snapshot is not null' },
  ],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace pays nothing' },
    purge: { stays: 'messages of the payment processor, removed at the end of their own retention' },
    export: { leftOut: 'the processor’s messages; the other lists hold their effects' },
    sweeps: [
      {
        name: 'paymentEvents',
        summary: 'Remove old events of the payment processor',
        by: 'receivedAt',
        keptDays: 'payment_event_days',
      },
    ],
  },
})
