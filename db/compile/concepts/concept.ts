import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { document, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A task that a tenant has compiled, with all its versions. */
export const ConceptEntity = defineTable({
  name: 'Concept',
  tableName: 'concepts',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    name: p.text(),
    description: p.text(),
    tags: document<readonly string[]>(),
    visibility: p.enum(['tenant', 'team', 'public'] as const),
    versionCount: p.integer(),
    headVersionId: p.text().nullable(),
    createdAt: instant(),
    updatedAt: instant(),
    deletedAt: instant().nullable(),
  },
  indexes: [
    { name: 'concepts_by_id', properties: ['tenantId', 'id'] },
    { name: 'concepts_of_tenant', properties: ['tenantId', 'updatedAt', 'id'], where: 'deleted_at is null' },
    { name: 'concepts_public', properties: ['updatedAt', 'id'], where: "visibility = 'public' and deleted_at is null" },
  ],
  facts: {
    tenant: 'row',
    // Visible with any of its versions: each may be run. `conceptWithin` asks for all of them.
    namespace: { where: 'version_count = 0 or svc_concept_within(id)' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'concepts',
      key: ['id'],
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        name: true,
        description: true,
        tags: true,
        visibility: true,
        versionCount: true,
        headVersionId: true,
        createdAt: true,
        updatedAt: true,
        deletedAt: true,
      },
    },
  },
})

export type Concept = InferEntity<typeof ConceptEntity>
