import { p, type InferEntity } from '@mikro-orm/core'
import { instant } from '../../../kernel/tables/columns.ts'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../../kernel/tenant/tenant.ts'

/** Machines of a tenant with one kind of GPUs, whose workers lease fits with one token. */
export const PoolEntity = defineTable({
  name: 'TrainerPool',
  tableName: 'trainer_pools',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    name: p.text(),
    gpuSku: p.text(),
    vramTier: p.text(),
    /** SHA-256 of the token, hexadecimal. */
    tokenHash: p.text(),
    createdAt: instant(),
    /** When a worker last asked for a fit. */
    seenAt: instant().nullable(),
  },
  indexes: [{ name: 'trainer_pools_of_tenant', properties: ['tenantId', 'createdAt', 'id'] }],
  uniques: [
    { name: 'trainer_pools_token', properties: ['tokenHash'] },
    { name: 'trainer_pools_name', properties: ['tenantId', 'name'] },
  ],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'a pool fits for the whole tenant' },
    merge: { stays: 'a workspace has no pool' },
    purge: 'goes',
    export: {
      section: 'trainer_pools',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        name: true,
        gpuSku: true,
        vramTier: true,
        tokenHash: 'a secret of the machines',
        createdAt: true,
        seenAt: true,
      },
    },
    sweeps: { none: 'a pool stays until its tenant removes it' },
  },
})

/** A pool. */
export type TrainerPool = InferEntity<typeof PoolEntity>
