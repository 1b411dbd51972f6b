import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import { bytes, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** One member of a tenant's ring of HMAC secrets. A pruned one stays as a tombstone without its secret. */
export const ReceiptSecretEntity = defineEntity({
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
})

export type ReceiptSecret = InferEntity<typeof ReceiptSecretEntity>
