import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** What the payment processor knows a tenant as, and what stands on its invoices. */
export const BillingAccountEntity = defineTable({
  name: 'BillingAccount',
  tableName: 'billing_accounts',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    /** The processor's id of the customer that pays now; follows from the rows of subscriptions and checkouts. */
    customerId: p.text().nullable().unique(),
    vatNumber: p.text().nullable(),
    taxId: p.text().nullable(),
    companyName: p.text().nullable(),
    countryCode: p.text().nullable(),
    /** When the tax fields were changed last; null once the processor has them. */
    taxDirtyAt: instant().nullable(),
    /** Those that the processor has not got. The others are left alone there: the customer may have given them itself. */
    taxDirtyFields: p.array().columnType('text[]').default([]),
    /** True when the processor takes the VAT number for wrong. */
    isTaxRefused: p.boolean().default(false),
    /** What the processor owes the tenant, as of the newest event on its customer. */
    creditBalanceCents: p.integer(),
    /** The version of the newest event on the customer, see `versionOf`. */
    eventCreated: bigCount(),
    eventId: p.text(),
    updatedAt: instant(),
    /** When the reconciler starts the workflow of billing again; null when the rows leave it nothing to do. */
    lookAt: instant().nullable(),
  },
  indexes: [{ name: 'billing_accounts_to_look_at', properties: ['lookAt'], where: 'look_at is not null' }],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace pays nothing' },
    purge: { stays: 'who the invoices were written to' },
    export: {
      section: 'billing',
      key: ['tenantId'],
      columns: {
        tenantId: true,
        customerId: true,
        vatNumber: true,
        taxId: true,
        companyName: true,
        countryCode: true,
        taxDirtyAt: 'working state of what the processor is told',
        taxDirtyFields: 'working state of what the processor is told',
        isTaxRefused: 'working state of what the processor is told',
        creditBalanceCents: true,
        eventCreated: 'which message of the processor a row is of',
        eventId: 'which message of the processor a row is of',
        updatedAt: true,
        lookAt: 'when its workflow is looked at again',
      },
    },
  },
})
