import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bytes, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** One member of a tenant's ring of HMAC secrets. A pruned one stays as a tombstone without its secret. */
export const ReceiptSecretEntity = defineTable({
  name: 'ReceiptSecret',
  tableName: 'receipt_secrets',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    state: p.enum(['current', 'previous', 'pruned'] as const),
    sealedSecret: bytes().nullable(),
    createdAt: instant(),
    retiredAt: instant().nullable(),
    prunedAt: instant().nullable(),
  },
  indexes: [{ properties: ['tenantId', 'createdAt'] }],
  uniques: [{ name: 'receipt_secrets_one_current', properties: ['tenantId'], where: "state = 'current'" }],
  facts: {
    tenant: 'row',
    merge: { stays: 'receipts made with them still verify: they are found by their own id' },
    purge: { stays: 'they verify receipts that others hold' },
    export: {
      section: 'receipt_secrets',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        state: true,
        sealedSecret: 'a secret',
        createdAt: true,
        retiredAt: true,
        prunedAt: true,
      },
    },
    sealed: { sealedSecret: { purpose: `'receipt'` } },
  },
})

export type ReceiptSecret = InferEntity<typeof ReceiptSecretEntity>
