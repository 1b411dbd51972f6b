import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { document, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/**
 * The receipt of an artifact whose tenant's data was removed: digests, a score and signatures, without the compiled
 * content. It keeps claims about the artifact verifiable for as long as the archive exists anywhere.
 */
export const BuildReceiptEntity = defineTable({
  name: 'BuildReceipt',
  tableName: 'build_receipts',
  properties: {
    artifactId: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    receipt: document<JsonObject>(),
    /** When the artifact was made. */
    createdAt: instant(),
  },
  indexes: [
    { properties: ['tenantId'] },
    {
      name: 'build_receipts_by_artifact',
      expression: `create index "build_receipts_by_artifact" on "build_receipts" ((receipt ->> 'artifact_hash'))`,
    },
  ],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'kept from deleted tenants, whose keys have ended' },
    merge: { stays: 'kept from deleted tenants' },
    purge: { stays: 'lasting records of artifacts, so that their holders can have them verified' },
    export: { leftOut: 'kept from a deleted tenant' },
  },
})
