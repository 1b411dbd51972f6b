import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A link that shows one artifact or report to every holder, for some days. */
export const ShareLinkEntity = defineTable({
  name: 'ShareLink',
  tableName: 'share_links',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    kind: p.enum(['artifact', 'report'] as const),
    targetId: p.text(),
    /** Actor in one line, as in the audit ledger. */
    createdBy: p.text(),
    createdAt: instant(),
    expiresAt: instant(),
    revokedAt: instant().nullable(),
    openedCount: p.integer(),
    /** Runs that visitors may make in all; 0 for a link without a try-it. */
    runLimit: p.integer().default(0),
    runCount: p.integer().default(0),
  },
  indexes: [{ name: 'share_links_newest', properties: ['tenantId', 'createdAt', 'id'] }, { properties: ['expiresAt'] }],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'targetId' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'share_links',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        kind: true,
        targetId: true,
        createdBy: true,
        createdAt: true,
        expiresAt: true,
        revokedAt: true,
        openedCount: true,
        runLimit: true,
        runCount: true,
      },
    },
    sweeps: [{ name: 'shareLinks', summary: 'Remove ended share links', by: 'expiresAt', keptDays: 30 }],
  },
})

export type ShareLink = InferEntity<typeof ShareLinkEntity>
