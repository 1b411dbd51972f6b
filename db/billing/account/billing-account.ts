import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A tenant's customer record at the payment processor, and its invoice details. */
export const BillingAccountEntity = defineTable({
  name: 'BillingAccount',
  tableName: 'billing_accounts',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    /** The processor's id of the paying customer; follows from the rows of subscriptions and checkouts. */
    customerId: p.text().nullable().unique(),
    vatNumber: p.text().nullable(),
    taxId: p.text().nullable(),
    companyName: p.text().nullable(),
    countryCode: p.text().nullable(),
    /** When the tax fields last changed; null once the processor has them. */
    taxDirtyAt: instant().nullable(),
    /** Fields to send to the processor. The others stay untouched there: the customer may have set them itself. */
    taxDirtyFields: p.array().columnType('text[]').default([]),
    /** True when the processor rejects the VAT number. */
    isTaxRefused: p.boolean().default(false),
    /** The processor's credit to the tenant, as of the newest customer event. */
    creditBalanceCents: p.integer(),
    /** The version of the newest customer event, see `versionOf`. */
    eventCreated: bigCount(),
    eventId: p.text(),
    updatedAt: instant(),
    /** When the reconciler starts the billing workflow again; null when no work is due. */
    lookAt: instant().nullable(),
  },
  indexes: [{ name: 'billing_accounts_to_look_at', properties: ['lookAt'], where: 'look_at is not null' }],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace pays nothing' },
    purge: { stays: 'invoice addressee' },
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
        taxDirtyAt: 'working state of updates to the processor',
        taxDirtyFields: 'working state of updates to the processor',
        isTaxRefused: 'working state of updates to the processor',
        creditBalanceCents: true,
        eventCreated: 'version of the processor event behind the row',
        eventId: 'id of the processor event behind the row',
        updatedAt: true,
        lookAt: 'when the reconciler checks its workflow again',
      },
    },
  },
})
