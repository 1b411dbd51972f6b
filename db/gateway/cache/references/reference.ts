import { p } from '@mikro-orm/core'
import { bytes, instant } from '../../../kernel/tables/columns.ts'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../../kernel/tenant/tenant.ts'

/**
 * An id of a response, or of one of its items, that a tenant received: later calls of that tenant may name it. Of the id
 * there is a hash only.
 */
export const ResponseReferenceEntity = defineTable({
  name: 'ResponseReference',
  tableName: 'response_references',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    /** See `referenceKey`. */
    key: bytes().primary(),
    namespace: p.text(),
    /** Of an item, the key of its response; null for a response and for a container. */
    responseKey: bytes().nullable(),
    /** Of a later turn that is kept here, the key of the first turn of its conversation, in the same namespace; else null. */
    rootKey: bytes().nullable(),
    /** Of such a turn, the key of the response that it goes on from; else null. */
    parentKey: bytes().nullable(),
    /** Turns of its conversation up to it: 1 for all but later turns that are kept here. */
    turns: p.integer().default(1),
    /** True for a response that its caller deleted while later turns need it: no call can name it any more. */
    isDeleted: p.boolean().default(false),
    /** The provider that keeps it for the operator's account; null for a response that is kept here. */
    provider: p.text().nullable(),
    /**
     * Sealed under the id: the turn that is kept here, with the name of the response before it; of another response the
     * placeholders of its call, and of its items its id. Null where those are not kept.
     */
    content: bytes().nullable(),
    /** Bytes that it counts: a fixed amount, and the length of its content. */
    sizeBytes: p.integer(),
    /** The same of the turns before it, in all. */
    bytesBefore: p.integer().default(0),
    /** Of a first turn, the same of all turns that came after it, in all branches. */
    laterBytes: p.integer().default(0),
    createdAt: instant(),
    /** Null for a later turn, which is kept as long as the first one of its conversation: each turn extends that. */
    expiresAt: instant().nullable(),
  },
  indexes: [
    { name: 'response_references_items', properties: ['tenantId', 'responseKey'] },
    {
      name: 'response_references_turns',
      properties: ['tenantId', 'rootKey', 'parentKey'],
      where: 'root_key is not null',
    },
    { name: 'response_references_expiry', properties: ['expiresAt'] },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: { stays: 'a conversation goes on when its items are sent' },
    purge: 'goes',
    export: { leftOut: 'hashes of ids, and copies of answers that can be read with the id only' },
    sweeps: [
      {
        name: 'responseReferences',
        summary: 'Forget ids of responses that have expired',
        by: { special: 'removes whole conversations' },
      },
    ],
  },
})
