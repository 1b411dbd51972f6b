import { p } from '@mikro-orm/core'
import { DELIVERY_STATES } from '../../../core/kernel/egress/webhooks/delivery.ts'
import { bytes, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A message to a hook: what it reports by reference, and where it goes. Its data is read when it is sent. */
export const WebhookDeliveryEntity = defineTable({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  properties: {
    /** The `webhook-id` of each attempt. */
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    /** The kind of the report: the `type` of the body, and the name of the reader of its data. */
    kind: p.text(),
    /** The id of what it reports. */
    subjectId: p.text(),
    /** Namespace of its subject. */
    namespace: p.text().nullable(),
    /** Address and secret; erased when the delivery ends for good. */
    sealedEndpoint: bytes().nullable(),
    state: p.enum(DELIVERY_STATES),
    attempts: p.integer(),
    /** Status of the last answer. */
    lastStatus: p.integer().nullable(),
    errorCode: p.text().nullable(),
    createdAt: instant(),
    /** When its subject happened; null until then, and nothing is sent. */
    dueAt: instant().nullable(),
    endedAt: instant().nullable(),
    /** For a due delivery: when the reconciler starts its workflow again; null before the first time. */
    lookAt: instant().nullable(),
  },
  indexes: [
    { name: 'webhook_deliveries_of_subject', properties: ['tenantId', 'subjectId'] },
    { name: 'webhook_deliveries_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'webhook_deliveries_due', properties: ['dueAt'], where: "state = 'pending' and due_at is not null" },
    { properties: ['endedAt'] },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'webhook_deliveries',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        kind: true,
        subjectId: true,
        namespace: true,
        sealedEndpoint: 'holds the secret of the hook, and its address may hold another',
        state: true,
        attempts: true,
        lastStatus: true,
        errorCode: true,
        createdAt: true,
        dueAt: true,
        endedAt: true,
        lookAt: 'when the reconciler checks its workflow again',
      },
    },
    // The service's own: the rows of a workspace move to another tenant.
    sealed: { sealedEndpoint: { purpose: `'webhook'`, owner: 'service' } },
    sweeps: [{ name: 'webhookDeliveries', summary: 'Remove old deliveries to hooks', by: 'endedAt', keptDays: 90 }],
  },
})
