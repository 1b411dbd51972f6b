import { p } from '@mikro-orm/core'
import type { ConversationMessage } from '../../../core/gateway/wire/assist/conversations.ts'
import { bigCount, document, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/**
 * A conversation that a client saved. The id is the client's, so it is one of the tenant only. A deleted one keeps its row
 * without texts, so that other devices learn of the deletion.
 */
export const ConversationEntity = defineTable({
  name: 'Conversation',
  tableName: 'conversations',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    id: p.text().primary(),
    title: p.text(),
    model: p.text(),
    device: p.text().nullable(),
    /** Null once it is deleted. */
    messages: document<readonly ConversationMessage[]>().nullable(),
    messageCount: p.integer(),
    /** Of the messages as JSON. */
    sizeBytes: bigCount(),
    /** The beginning of the last message. */
    preview: p.text(),
    createdAt: instant(),
    /** Greater than that of every earlier write of the tenant. */
    updatedAt: instant(),
    /** By the clock of the client: the later of two writes wins. */
    clientUpdatedAt: instant(),
    deletedAt: instant().nullable(),
  },
  indexes: [
    { name: 'conversations_newest', properties: ['tenantId', 'updatedAt', 'id'] },
    { name: 'conversations_deleted', properties: ['deletedAt'], where: 'deleted_at is not null' },
  ],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'clients keep them for their people, beside the namespaces of calls' },
    merge: {
      // One of the same id in the other tenant stays as it is: the id of the workspace's own is made anew.
      moves: `update conversations c set tenant_id = $2, updated_at = date_trunc('milliseconds', clock_timestamp()),
        id = case when exists (select 1 from conversations o where o.tenant_id = $2 and o.id = c.id)
          then 'cv_' || md5($1::text || c.id) else c.id end
        where tenant_id = $1`,
    },
    purge: 'goes',
    export: {
      section: 'conversations',
      key: ['updatedAt', 'id'],
      columns: {
        tenantId: 'the document is of one tenant',
        id: true,
        title: true,
        model: true,
        device: true,
        messages: true,
        messageCount: true,
        sizeBytes: true,
        preview: true,
        createdAt: true,
        updatedAt: true,
        clientUpdatedAt: true,
        deletedAt: true,
      },
    },
    sweeps: [
      {
        name: 'conversations',
        summary: 'Remove what is left of deleted conversations',
        by: 'deletedAt',
        keptDays: 'conversation_tombstone_days',
      },
    ],
  },
})
