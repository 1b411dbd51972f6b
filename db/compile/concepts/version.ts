import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { RECIPE_KINDS } from '../../../core/compile/rows/task.ts'
import { bigCount, instant, real } from '../../kernel/tables/columns.ts'
import { CompileJobEntity } from '../jobs/compile-job.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'
import { ConceptEntity } from './concept.ts'

/** One compiled version of a concept. Its archive is the artifact with the id of its job. */
export const VersionEntity = defineTable({
  name: 'Version',
  tableName: 'versions',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    conceptId: () => p.manyToOne(ConceptEntity).mapToPk().fieldName('concept_id'),
    /** Counts from 1 within the concept. */
    number: p.integer(),
    semver: p.text(),
    jobId: () => p.manyToOne(CompileJobEntity).mapToPk().fieldName('job_id').unique(),
    parentVersionId: p.text().nullable(),
    recipeKind: p.enum(RECIPE_KINDS),
    kScore: real(),
    sizeBytes: bigCount(),
    createdAt: instant(),
    deletedAt: instant().nullable(),
  },
  uniques: [{ properties: ['conceptId', 'number'] }],
  indexes: [
    { properties: ['tenantId', 'createdAt'] },
    { name: 'versions_by_parent', properties: ['tenantId', 'parentVersionId'] },
  ],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'jobId' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'versions',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        conceptId: true,
        number: true,
        semver: true,
        jobId: true,
        parentVersionId: true,
        recipeKind: true,
        kScore: true,
        sizeBytes: true,
        createdAt: true,
        deletedAt: true,
      },
    },
  },
})

export type Version = InferEntity<typeof VersionEntity>
