import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A line of the tenant's billing ledger: an invoice as the newest event described it, or a refund (a credit memo). */
export const InvoiceEntity = defineTable({
  name: 'Invoice',
  tableName: 'invoices',
  properties: {
    /** The processor's id of the invoice or the refund. */
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    kind: p.enum(['invoice', 'refund'] as const),
    number: p.text().nullable(),
    /** Negative for a refund. */
    amountPaidCents: p.integer(),
    currency: p.text(),
    /** The processor's status. */
    status: p.text(),
    customerId: p.text().nullable(),
    subscriptionId: p.text().nullable(),
    chargeId: p.text().nullable(),
    paymentIntentId: p.text().nullable(),
    hostedInvoiceUrl: p.text().nullable(),
    invoicePdf: p.text().nullable(),
    periodStart: instant().nullable(),
    periodEnd: instant().nullable(),
    description: p.text().nullable(),
    /** The first and the last failure of its payment, by the events. */
    firstFailedAt: instant().nullable(),
    lastFailedAt: instant().nullable(),
    paidAt: instant().nullable(),
    /** The version of the event behind the row, see `versionOf`. */
    eventCreated: bigCount(),
    eventId: p.text(),
    createdAt: instant(),
  },
  indexes: [
    { name: 'invoices_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { properties: ['chargeId'] },
    { properties: ['paymentIntentId'] },
    { properties: ['subscriptionId'] },
  ],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace pays nothing' },
    purge: { stays: 'books are kept as long as the law requires' },
    export: {
      section: 'invoices',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        kind: true,
        number: true,
        amountPaidCents: true,
        currency: true,
        status: true,
        customerId: true,
        subscriptionId: true,
        chargeId: true,
        paymentIntentId: true,
        hostedInvoiceUrl: true,
        invoicePdf: true,
        periodStart: true,
        periodEnd: true,
        description: true,
        firstFailedAt: true,
        lastFailedAt: true,
        paidAt: true,
        eventCreated: 'version of the processor event behind the row',
        eventId: 'id of the processor event behind the row',
        createdAt: true,
      },
    },
  },
})

export type Invoice = InferEntity<typeof InvoiceEntity>
